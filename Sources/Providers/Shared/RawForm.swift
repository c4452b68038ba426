import Bytes

/// The fields of an `application/x-www-form-urlencoded` body (WHATWG URL §5.1) as bytes, parsed
/// more strictly than in browsers: a broken escape and a repeated name are refused, because parsers
/// read them differently.
struct RawForm {
    struct Field: Equatable {
        let name: [UInt8]
        var value: [UInt8]
    }

    /// Maximum number of fields. The documented bodies have at most about thirty.
    static let countMax = 256

    /// In order of arrival.
    let all: [Field]

    /// - Throws: ``Refusal``, malformed: `form_escape`, `form_duplicate_field`,
    ///   `form_too_many_fields`, `form_syntax`, `verification_too_costly`.
    init(parsing body: ArraySlice<UInt8>, work: inout VerificationWork) throws(Refusal) {
        // Each byte is searched for a separator and decoded.
        try work.spend(2 * body.count)
        let pairs = body.split(separator: UInt8(ascii: "&"), maxSplits: Self.countMax)
        guard pairs.count <= Self.countMax else {
            throw .malformed("form_too_many_fields", "more than \(Self.countMax) fields")
        }
        var fields: [Field] = []
        var names = NameTable(capacity: pairs.count)
        for pair in pairs {
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
                throw .malformed("form_syntax", "a field has no `=`")
            }
            let name = try Self.decode(pair[..<equals])
            guard names.add(name.span) else {
                throw .malformed("form_duplicate_field", "a field appears twice")
            }
            fields.append(Field(name: name, value: try Self.decode(pair[(equals + 1)...])))
        }
        try work.spend(names.touchedBytes)
        all = fields
    }

    private static func decode(_ text: ArraySlice<UInt8>) throws(Refusal) -> [UInt8] {
        let spaced = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let bytes = PercentEncoding.decode(spaced[...]) else {
            throw .malformed("form_escape", "a percent sign without two hex digits")
        }
        return bytes
    }
}
