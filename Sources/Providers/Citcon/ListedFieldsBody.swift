import JSON

/// A body whose fields can be signed by name.
protocol ListedFieldsBody {
    /// Appends each named field with the text that its sender hashed; a `null` has no text. It
    /// passes over the body once, however many names there are.
    ///
    /// - Throws: ``Refusal``, unauthenticated, if a field is absent or of a kind whose hashed form
    ///   is not documented; `verification_too_costly`.
    func appendSignedValues(
        of names: NameTable, to fields: inout SortedFields, work: inout VerificationWork
    ) throws(Refusal)

    /// The list or the signature itself, which every body must carry as text.
    ///
    /// - Throws: ``Refusal``, unauthenticated.
    func requiredText(_ name: String) throws(Refusal) -> ArraySlice<UInt8>

    /// The text of a field that may be unsigned; nil if it is absent. It may only make us more
    /// careful.
    func unsignedText(_ name: String) -> String?
}

extension ListedFieldsBody {
    /// The refusal for a field that the list names and the body lacks.
    static func absent(_ name: Span<UInt8>) -> Refusal {
        .unauthenticated(
            "signed_field_missing", "`fields` names \(name.text), which is absent")
    }
}

/// A flat JSON object.
struct ListedFieldsJSON: ListedFieldsBody {
    let root: JSONValue

    /// - Throws: ``Refusal``, malformed, with the JSON parser's own reason, or `body_not_object`.
    init(parsing body: [UInt8], work: inout VerificationWork) throws(Refusal) {
        root = try JSONDocument.parse(body, work: &work).root
        guard root.kind == .object else {
            throw .malformed("body_not_object", "the body is JSON, but not an object")
        }
    }

    func appendSignedValues(
        of names: NameTable, to fields: inout SortedFields, work: inout VerificationWork
    ) throws(Refusal) {
        var values = [JSONValue?](repeating: nil, count: names.count)
        var hashedBytes = 0
        root.forEachMember { name, value in
            hashedBytes += name.count
            if let place = names.place(of: name) { values[place] = value }
        }
        try work.spend(hashedBytes)
        for (place, value) in values.enumerated() {
            let name = names.bytes.span.extracting(names.places[place])
            guard let value else { throw Self.absent(name) }
            fields.begin(name)
            switch value.kind {
            case .string, .number:
                // A number is hashed as it is written, so its literal text is used, not its value.
                value.appendText(to: &fields.text)
            case .null: break
            case .boolean: throw Self.unknown("signed_field_boolean", name, "a boolean")
            case .object, .array:
                throw Self.unknown("signed_field_structured", name, "\(value.kind)")
            }
            fields.end(isNull: value.kind == .null)
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
