import Cryptography

/// The names in the `fields` of a body, checked.
struct ListedNames {
    /// Most names that a list may hold; the documented lists have about ten.
    static let namesMax = 64

    /// Where each name stands in the list, in its order.
    private(set) var places: [Range<Int>] = []

    /// - Throws: ``Refusal``, unauthenticated: `fields_too_many`, `fields_malformed`,
    ///   `fields_forbidden_name`, `fields_duplicate_name`.
    init(_ list: Span<UInt8>) throws(Refusal) {
        split(list)
        guard places.count <= Self.namesMax else {
            throw .unauthenticated(
                "fields_too_many", "more than \(Self.namesMax) names in `fields`")
        }
        for (index, place) in places.enumerated() {
            let name = list.extracting(place)
            guard name.isWord, name.isFree(of: UInt8(ascii: "&"), UInt8(ascii: "=")) else {
                throw .unauthenticated("fields_malformed", "`fields` holds an empty or unsafe name")
            }
            // The signature itself and the names that the secrets go by.
            guard !name.spells("sign"), !name.spells("secret"), !name.spells("token") else {
                throw .unauthenticated("fields_forbidden_name", "`fields` names \(name.text)")
            }
            for other in 0..<index where places[other].count == place.count {
                guard !list.extracting(places[other]).equals(name) else {
                    throw .unauthenticated(
                        "fields_duplicate_name", "`fields` names \(name.text) twice")
                }
            }
        }
    }

    /// Between bytes, as PHP's `explode` has it: a comma is one whatever combines with it.
    private mutating func split(_ list: Span<UInt8>) {
        places.reserveCapacity(16)
        var start = 0
        while let comma = list.firstOffset(of: UInt8(ascii: ","), from: start) {
            places.append(start..<comma)
            start = comma + 1
        }
        places.append(start..<list.count)
    }
}

extension Span<UInt8> {
    fileprivate func isFree(of first: UInt8, _ second: UInt8) -> Bool {
        for offset in indices where self[offset] == first || self[offset] == second { return false }
        return true
    }
}
