import Cryptography

/// An `application/x-www-form-urlencoded` body (WHATWG URL §5.1), stricter than browsers are: a
/// broken escape, bytes that are no UTF-8 and a name that comes twice are refused, because
/// different readers make different things of them.
struct FormBody: ListedFieldsBody, Equatable {
    struct Field: Equatable {
        let name: String
        let value: String
    }

    /// Most fields that are read. The documented bodies have about ten.
    static let fieldsMax = 256

    let fields: [Field]

    /// - Throws: ``Refusal``, malformed: `form_escape`, `form_utf8`, `form_duplicate_field`,
    ///   `form_too_many_fields`, `form_syntax`.
    init(parsing body: ArraySlice<UInt8>) throws(Refusal) {
        let pairs = body.split(separator: UInt8(ascii: "&"))
        guard pairs.count <= Self.fieldsMax else {
            throw .malformed("form_too_many_fields", "more than \(Self.fieldsMax) fields")
        }
        var fields: [Field] = []
        for pair in pairs {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
                throw .malformed("form_syntax", "a field has no `=`")
            }
            let name = try Self.decode(pair[..<equals])
            guard !fields.contains(where: { $0.name == name }) else {
                throw .malformed("form_duplicate_field", "a field is there twice")
            }
            fields.append(Field(name: name, value: try Self.decode(pair[(equals + 1)...])))
        }
        self.fields = fields
    }

    subscript(_ name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    func appendSignedValue(_ name: Span<UInt8>, to text: inout [UInt8]) throws(Refusal) {
        for field in fields where field.name.utf8.span.equals(name) {
            return text.append(field.value.utf8.span)
        }
        throw Self.absent(name)
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
