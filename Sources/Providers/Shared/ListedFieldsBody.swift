import JSON

/// A body whose fields can be signed by name.
protocol ListedFieldsBody {
    /// Appends the text of the field `name` as its sender hashed it.
    ///
    /// - Throws: ``Refusal``, unauthenticated, where it is absent or of a kind for which nothing
    ///   says what is hashed.
    func appendSignedValue(_ name: Span<UInt8>, to text: inout [UInt8]) throws(Refusal)

    /// The list and the signature themselves, which every body must carry as text.
    ///
    /// - Throws: ``Refusal``, unauthenticated.
    func requiredText(_ name: String) throws(Refusal) -> ArraySlice<UInt8>

    /// The text of a field that nothing vouches for; nil where it is absent. It may only make us
    /// more careful.
    func unsignedText(_ name: String) -> String?
}

extension ListedFieldsBody {
    /// For a field that the list names and the body has not.
    static func absent(_ name: Span<UInt8>) -> Refusal {
        .unauthenticated(
            "signed_field_missing", "`fields` names \(name.text), which is absent")
    }
}

/// A flat JSON object.
struct ListedFieldsJSON: ListedFieldsBody {
    let root: JSONValue

    /// - Throws: ``Refusal``, malformed, with the JSON parser's own reason, or `body_not_object`.
    init(parsing body: [UInt8]) throws(Refusal) {
        root = try JSONDocument.parse(body).root
        guard root.kind == .object else {
            throw .malformed("body_not_object", "the body is JSON, but no object")
        }
    }

    func appendSignedValue(_ name: Span<UInt8>, to text: inout [UInt8]) throws(Refusal) {
        guard let value = root[utf8: name] else { throw Self.absent(name) }
        switch value.kind {
        case .string, .number:
            // A number is hashed as it is written, so its literal text counts and not its value.
            value.appendText(to: &text)
        case .null: throw Self.unknown("signed_field_null", name, "null")
        case .boolean: throw Self.unknown("signed_field_boolean", name, "a boolean")
        case .object, .array:
            throw Self.unknown("signed_field_structured", name, "\(value.kind)")
        }
    }

    private static func unknown(
        _ reason: String, _ name: Span<UInt8>, _ kind: String
    ) -> Refusal {
        .unauthenticated(reason, "\(name.text) is \(kind): how it is hashed is unknown")
    }

    func requiredText(_ name: String) throws(Refusal) -> ArraySlice<UInt8> {
        guard let value = root[name] else {
            throw .unauthenticated("\(name)_missing", "the body has no `\(name)`")
        }
        guard let text = value.utf8 else {
            throw .unauthenticated("\(name)_not_text", "`\(name)` is not a string")
        }
        return text
    }
}
