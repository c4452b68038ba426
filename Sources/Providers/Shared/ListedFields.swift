/// The fields of a body that its `fields` list names: what both of Citcon's gateways sign, and all
/// that is read of them.
///
/// The text that is hashed is `name=value&name=value&…&`, sorted by name, nothing escaped, and
/// after it the secret. It is not injective by itself: `a=1&b=2` may be two fields, or one whose
/// value is `1&b=2`. ``init(listing:in:)`` refuses what would make two readings of one text
/// possible.
package struct ListedFields: Sendable, Equatable {
    struct Field: Sendable, Equatable {
        let name: String
        let value: String
    }

    /// Sorted by the bytes of their names; `fields` is one of them.
    private let fields: [Field]

    /// The signed value of `name`; nil where it is not signed.
    subscript(_ name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    /// The signed value of `name` where it can be an id or a status.
    func word(_ name: String) -> String? {
        self[name].flatMap { $0.isWord ? $0 : nil }
    }

    /// What is hashed, up to where the secret's own name follows.
    var signedText: [UInt8] { Self.text(fields) }

    /// `name=value&` for each pair, sorted by name.
    static func signedText(_ pairs: [(name: String, value: String)]) -> [UInt8] {
        text(
            pairs.map { Field(name: $0.name, value: $0.value) }
                .sorted { utf8Precedes($0.name, $1.name) })
    }

    private static func text(_ sorted: [Field]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(512)
        for field in sorted {
            text.append(contentsOf: field.name.utf8)
            text.append(UInt8(ascii: "="))
            text.append(contentsOf: field.value.utf8)
            text.append(UInt8(ascii: "&"))
        }
        return text
    }

    /// Collects the fields that `list` names from `body`.
    ///
    /// - Throws: ``Refusal``, always unauthenticated: without an unambiguous list there is no
    ///   signature to check.
    init(listing list: String, in body: some ListedFieldsBody) throws(Refusal) {
        let names = try Self.names(list)
        var fields = [Field(name: "fields", value: list)]
        for name in names where name != "fields" {
            fields.append(Field(name: name, value: try body.signedValue(name)))
        }
        fields.sort { utf8Precedes($0.name, $1.name) }
        self.fields = fields
    }

    /// Most names that a list may hold; the documented lists have about ten.
    static let namesMax = 64

    /// Never part of the list: the signature itself and the names that the secrets go by.
    private static let forbidden = ["sign", "secret", "token"]

    private static func names(_ list: String) throws(Refusal) -> [String] {
        // Between bytes, as PHP's `explode` has it: a comma is one whatever combines with it.
        let names = list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard names.count <= namesMax else {
            throw .unauthenticated("fields_too_many", "more than \(namesMax) names in `fields`")
        }
        for (index, name) in names.enumerated() {
            let isPlain =
                name.isWord
                && !name.utf8.contains { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "=") }
            guard isPlain else {
                throw .unauthenticated("fields_malformed", "`fields` holds an empty or unsafe name")
            }
            guard !forbidden.contains(name) else {
                throw .unauthenticated("fields_forbidden_name", "`fields` names \(name)")
            }
            guard !names[..<index].contains(name) else {
                throw .unauthenticated("fields_duplicate_name", "`fields` names \(name) twice")
            }
        }
        return names
    }

    /// Refuses a value that holds `&name=` of a signed name: somebody may have moved the seam
    /// between two fields. Any two readings of one text differ in such a place, because the list
    /// itself is part of the text. Asked once the signature is right: only then is the text worth
    /// the search.
    ///
    /// - Throws: ``Refusal``, unauthenticated: `signed_field_ambiguous`.
    func requireUnambiguous() throws(Refusal) {
        for field in fields where field.value.utf8.contains(UInt8(ascii: "&")) {
            let value = Array(field.value.utf8)
            for other in fields where value.holds(Array("&\(other.name)=".utf8)) {
                throw .unauthenticated(
                    "signed_field_ambiguous", "the value of \(field.name) holds &\(other.name)=")
            }
        }
    }

    /// - Throws: `fields_required_missing` where one of `names` is not signed.
    func require(_ names: [String]) throws(Refusal) {
        for name in names where self[name] == nil {
            throw .unauthenticated("fields_required_missing", "`fields` does not name \(name)")
        }
    }
}

/// Order by bytes, as PHP's `ksort` and JavaScript's `sort` have it for these names.
func utf8Precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}

extension [UInt8] {
    /// Whether `part` stands somewhere in these bytes.
    func holds(_ part: [UInt8]) -> Bool {
        guard part.count <= count, let first = part.first else { return part.isEmpty }
        for start in 0...(count - part.count) where self[start] == first {
            if self[start..<(start + part.count)].elementsEqual(part) { return true }
        }
        return false
    }
}
