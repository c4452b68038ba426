import Bytes

/// An `application/x-www-form-urlencoded` body (WHATWG URL §5.1), parsed more strictly than in
/// browsers: a broken escape, invalid UTF-8 and a repeated name are refused, because parsers read
/// them differently.
struct FormBody: ListedFieldsBody, Equatable {
    struct Field: Equatable {
        let name: String
        let value: String
    }

    /// Maximum number of fields. The documented bodies have about ten.
    static let fieldsMax = 256

    let fields: [Field]

    /// - Throws: ``Refusal``, malformed: `form_escape`, `form_utf8`, `form_duplicate_field`,
    ///   `form_too_many_fields`, `form_syntax`, `verification_too_costly`.
    init(parsing body: ArraySlice<UInt8>, work: inout VerificationWork) throws(Refusal) {
        // Each byte is searched for a separator, decoded, and checked as UTF-8.
        try work.spend(3 * body.count)
        let pairs = body.split(separator: UInt8(ascii: "&"), maxSplits: Self.fieldsMax)
        guard pairs.count <= Self.fieldsMax else {
            throw .malformed("form_too_many_fields", "more than \(Self.fieldsMax) fields")
        }
        var fields: [Field] = []
        var names = NameTable(capacity: pairs.count)
        for pair in pairs {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
                throw .malformed("form_syntax", "a field has no `=`")
            }
            let name = try Self.decode(pair[..<equals])
            guard names.add(name.utf8.span) else {
                throw .malformed("form_duplicate_field", "a field appears twice")
            }
            fields.append(Field(name: name, value: try Self.decode(pair[(equals + 1)...])))
        }
        try work.spend(names.touchedBytes)
        self.fields = fields
    }

    subscript(_ name: String) -> String? {
        fields.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    func appendSignedValues(
        of names: NameTable, to fields: inout SortedFields, work: inout VerificationWork
    ) throws(Refusal) {
        var values = [Int?](repeating: nil, count: names.count)
        for (index, field) in self.fields.enumerated() {
            try work.spend(field.name.utf8.count)
            if let place = names.place(of: field.name.utf8.span) { values[place] = index }
        }
        for (place, index) in values.enumerated() {
            let name = names.bytes.span.extracting(names.places[place])
            guard let index else { throw Self.absent(name) }
            fields.begin(name)
            fields.text.append(self.fields[index].value.utf8.span)
            fields.end()
        }
    }

    func requiredText(_ name: String) throws(Refusal) -> ArraySlice<UInt8> {
        guard let value = self[name] else {
            throw .unauthenticated("\(name)_missing", "the body has no `\(name)`")
        }
        return Array(value.utf8)[...]
    }

    private static func decode(_ text: ArraySlice<UInt8>) throws(Refusal) -> String {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let bytes = PercentEncoding.decode(spaced[...]) else {
            throw .malformed("form_escape", "a percent sign without two hex digits")
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else {
            throw .malformed("form_utf8", "a field is not UTF-8")
        }
        return decoded
    }
}
