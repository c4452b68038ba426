import Bytes

/// The names in the `fields` of a body, checked.
struct ListedNames {
    /// Most names that a list may hold; the documented lists have about ten.
    static let namesMax = 64

    /// In the order of the list, `fields` itself left out.
    private(set) var table = NameTable(capacity: 16)

    /// Between bytes, as PHP's `explode` has it: a comma is one whatever combines with it. Empty
    /// names are passed over: Citcon's own plugin writes a comma behind the last name.
    ///
    /// - Throws: ``Refusal``, unauthenticated: `fields_too_many`, `fields_malformed`,
    ///   `fields_forbidden_name`, `fields_duplicate_name`.
    init(_ list: Span<UInt8>) throws(Refusal) {
        var namesItself = false
        var start = 0
        while start <= list.count {
            let end = list.firstOffset(of: UInt8(ascii: ","), from: start) ?? list.count
            let name = list.extracting(start..<end)
            start = end + 1
            guard !name.isEmpty else { continue }
            try Self.check(name)
            guard !name.spells("fields") else {
                if namesItself { throw Self.duplicate(name) }
                namesItself = true
                continue
            }
            guard table.count < Self.namesMax else {
                throw .unauthenticated(
                    "fields_too_many", "more than \(Self.namesMax) names in `fields`")
            }
            guard table.add(name) else { throw Self.duplicate(name) }
        }
    }

    private static func check(_ name: Span<UInt8>) throws(Refusal) {
        guard name.isWord, name.isFree(of: UInt8(ascii: "&"), UInt8(ascii: "=")) else {
            throw .unauthenticated("fields_malformed", "`fields` holds an unsafe name")
        }
        // The signature itself and the names that the secrets go by.
        guard !name.spells("sign"), !name.spells("secret"), !name.spells("token") else {
            throw .unauthenticated("fields_forbidden_name", "`fields` names \(name.text)")
        }
    }

    private static func duplicate(_ name: Span<UInt8>) -> Refusal {
        .unauthenticated("fields_duplicate_name", "`fields` names \(name.text) twice")
    }
}

extension Span<UInt8> {
    fileprivate func isFree(of first: UInt8, _ second: UInt8) -> Bool {
        for offset in indices where self[offset] == first || self[offset] == second { return false }
        return true
    }
}
