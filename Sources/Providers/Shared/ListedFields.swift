/// The fields of a body that its `fields` list names: what both of Citcon's gateways sign, and all
/// that is read of them.
///
/// The text that is hashed is `name=value&name=value&…&`, sorted by name, nothing escaped, and
/// after it the secret. It is not injective by itself: `a=1&b=2` may be two fields, or one whose
/// value is `1&b=2`. ``init(listing:in:)`` refuses what would make two readings of one text
/// possible.
package struct ListedFields: Sendable, Equatable {
    /// Where a field stands in the text.
    private struct Field: Sendable, Equatable {
        let name: Range<Int>
        let value: Range<Int>
    }

    /// What is hashed, up to where the secret's own name follows: what is read was signed.
    private(set) var signedText: [UInt8] = []

    /// Sorted by the bytes of their names; `fields` is one of them.
    private var fields: [Field] = []

    private init() {
        signedText.reserveCapacity(512)
        fields.reserveCapacity(16)
    }

    /// The signed value of `name`; nil where it is not signed.
    subscript(_ name: StaticString) -> String? {
        value(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The signed value of `name` where it can be an id or a status.
    func word(_ name: StaticString) -> String? {
        value(name).flatMap { $0.isWord ? String(decoding: $0, as: UTF8.self) : nil }
    }

    private func value(_ name: StaticString) -> ArraySlice<UInt8>? {
        for field in fields where signedText[field.name].spells(name) {
            return signedText[field.value]
        }
        return nil
    }

    /// `name=value&` for each pair, sorted by name.
    static func signedText(_ pairs: [(name: String, value: String)]) -> [UInt8] {
        var fields = ListedFields()
        for pair in pairs { fields.append(Array(pair.name.utf8)[...], Array(pair.value.utf8)[...]) }
        return fields.sorted().signedText
    }

    /// Collects the fields that `list` names from `body`.
    ///
    /// - Throws: ``Refusal``, always unauthenticated: without an unambiguous list there is no
    ///   signature to check.
    init(listing list: ArraySlice<UInt8>, in body: some ListedFieldsBody) throws(Refusal) {
        var given = ListedFields()
        given.append(Self.listName[...], list)
        for name in try Self.names(list) where name != Self.listName[...] {
            given.append(name, try body.signedValue(name))
        }
        self = given.sorted()
    }

    private static let listName = Array("fields".utf8)

    private mutating func append(_ name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
        let start = signedText.count
        signedText.append(contentsOf: name)
        signedText.append(UInt8(ascii: "="))
        let valueStart = signedText.count
        signedText.append(contentsOf: value)
        fields.append(
            Field(name: start..<(valueStart - 1), value: valueStart..<signedText.count))
        signedText.append(UInt8(ascii: "&"))
    }

    /// The same fields by the bytes of their names, as PHP's `ksort` and JavaScript's `sort` have
    /// it for these.
    private func sorted() -> ListedFields {
        let keys = fields.enumerated().map { index, field in
            (prefix: signedText.span.firstSixteen(of: field.name), field: index)
        }
        .sorted { left, right in
            left.prefix == right.prefix
                ? signedText[fields[left.field].name].lexicographicallyPrecedes(
                    signedText[fields[right.field].name])
                : left.prefix < right.prefix
        }
        var result = ListedFields()
        for key in keys {
            result.append(signedText[fields[key.field].name], signedText[fields[key.field].value])
        }
        return result
    }

    /// Refuses a value that holds `&name=` of a signed name: somebody may have moved the seam
    /// between two fields. Any two readings of one text differ in such a place, because the list
    /// itself is part of the text. Asked once the signature is right: only then is the text worth
    /// the search.
    ///
    /// - Throws: ``Refusal``, unauthenticated: `signed_field_ambiguous`.
    func requireUnambiguous() throws(Refusal) {
        // One ends each field, and no name has any.
        guard signedText.span.count(of: UInt8(ascii: "&")) > fields.count else { return }
        for field in fields {
            let value = Array(signedText[field.value])
            for other in fields {
                let name = signedText[other.name]
                guard value.holds([UInt8(ascii: "&")] + name + [UInt8(ascii: "=")]) else { continue }
                throw .unauthenticated(
                    "signed_field_ambiguous",
                    "the value of \(text(field.name)) holds &\(text(other.name))=")
            }
        }
    }

    private func text(_ part: Range<Int>) -> String {
        String(decoding: signedText[part], as: UTF8.self)
    }

    /// - Throws: `fields_required_missing` where one of `names` is not signed.
    func require(_ names: [StaticString]) throws(Refusal) {
        for name in names where value(name) == nil {
            throw .unauthenticated("fields_required_missing", "`fields` does not name \(name)")
        }
    }
}

extension ListedFields {
    /// Most names that a list may hold; the documented lists have about ten.
    static let namesMax = 64

    /// Never part of the list: the signature itself and the names that the secrets go by.
    private static let forbidden: [StaticString] = ["sign", "secret", "token"]

    private static func names(_ list: ArraySlice<UInt8>) throws(Refusal) -> [ArraySlice<UInt8>] {
        // Between bytes, as PHP's `explode` has it: a comma is one whatever combines with it.
        let names = list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard names.count <= namesMax else {
            throw .unauthenticated("fields_too_many", "more than \(namesMax) names in `fields`")
        }
        for (index, name) in names.enumerated() {
            let isPlain =
                name.isWord && name.span.count(of: UInt8(ascii: "&")) == 0
                && name.span.count(of: UInt8(ascii: "=")) == 0
            guard isPlain else {
                throw .unauthenticated("fields_malformed", "`fields` holds an empty or unsafe name")
            }
            guard !forbidden.contains(where: { name.spells($0) }) else {
                throw .unauthenticated("fields_forbidden_name", "`fields` names \(text(name))")
            }
            guard !names[..<index].contains(where: { $0.count == name.count && $0 == name }) else {
                throw .unauthenticated("fields_duplicate_name", "`fields` names \(text(name)) twice")
            }
        }
        return names
    }

    private static func text(_ name: ArraySlice<UInt8>) -> String {
        String(decoding: name, as: UTF8.self)
    }
}
