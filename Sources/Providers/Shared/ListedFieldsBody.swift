import JSON

/// A body whose fields can be signed by name.
protocol ListedFieldsBody {
    /// The text of the field `name` as its sender hashed it.
    ///
    /// - Throws: ``Refusal``, unauthenticated, where it is absent or of a kind for which nothing
    ///   says what is hashed.
    func signedValue(_ name: String) throws(Refusal) -> String

    /// The list and the signature themselves, which every body must carry as text.
    ///
    /// - Throws: ``Refusal``, unauthenticated.
    func requiredText(_ name: String) throws(Refusal) -> String
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

    func signedValue(_ name: String) throws(Refusal) -> String {
        guard let value = root[name] else {
            throw .unauthenticated(
                "signed_field_missing", "`fields` names \(name), which is absent")
        }
        switch value.kind {
        case .string, .number:
            // A number is hashed as it is written, so its literal text counts and not its value.
            return value.string ?? value.lexeme ?? ""
        case .null:
            throw .unauthenticated(
                "signed_field_null", "\(name) is null: how it is hashed is unknown")
        case .boolean:
            throw .unauthenticated(
                "signed_field_boolean", "\(name) is a boolean: how it is hashed is unknown")
        case .object, .array:
            throw .unauthenticated(
                "signed_field_structured", "\(name) is \(value.kind): how it is hashed is unknown")
        }
    }

    func requiredText(_ name: String) throws(Refusal) -> String {
        guard let value = root[name] else {
            throw .unauthenticated("\(name)_missing", "the body has no `\(name)`")
        }
        guard let text = value.string else {
            throw .unauthenticated("\(name)_not_text", "`\(name)` is not a string")
        }
        return text
    }
}
