import Bytes

/// The checked names in the `fields` of a body.
struct ListedNames {
    /// Maximum number of names in a list; the documented lists have about ten.
    static let namesMax = 64

    /// The names in the order of the list, without `fields` itself.
    private(set) var table = NameTable(capacity: 16)

    /// Splits at each comma byte, as PHP's `explode` does, even before a combining character. Empty
    /// names are skipped: Citcon's own plugin writes a comma after the last name.
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
        // The signature itself, and the names under which the secrets are hashed.
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
