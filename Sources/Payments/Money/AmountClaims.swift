/// The amounts that were reported for one status of one thing.
///
/// Every report of one status should name the same amount. Where they do not, all of them are kept,
/// so that a person sees each claim. Of more than `countMax` the least and the greatest are kept:
/// that takes bounded room, and is the same whichever report came first.
package struct AmountClaims: Sendable, Hashable {
    /// The least claim. It is the one that counts: no shop ships for more than was surely paid.
    package private(set) var lowest: Money
    /// The other claims, rising. Nearly always empty, which costs no memory.
    package private(set) var others: [Money] = []

    /// Most claims that are kept for one status.
    package static let countMax = 8

    package init(_ amount: Money) {
        lowest = amount
    }

    /// Nil unless the claims rise and are not too many.
    init?(lowest: Money, others: [Money]) {
        guard others.count < Self.countMax else { return nil }
        var last = lowest
        for other in others {
            guard last < other else { return nil }
            last = other
        }
        self.lowest = lowest
        self.others = others
    }

    package var isOneAmount: Bool { others.isEmpty }
    /// All claims, rising.
    package var all: [Money] { [lowest] + others }

    /// True when every amount that was reported is `amount`.
    package func isExactly(_ amount: Money) -> Bool {
        lowest == amount && others.isEmpty
    }

    /// True when every amount that was reported is in `currency`.
    func areAll(in currency: Currency) -> Bool {
        lowest.currency == currency && others.allSatisfy { $0.currency == currency }
    }

    mutating func join(_ other: AmountClaims) {
        if self == other { return }
        var union = Set(all)
        union.formUnion(other.all)
        var sorted = union.sorted()
        if sorted.count > Self.countMax {
            // The least ones and the greatest: which are kept does not depend on the order of
            // joining.
            sorted.removeSubrange((Self.countMax - 1)..<(sorted.count - 1))
        }
        lowest = sorted[0]
        others = Array(sorted[1...])
    }
}
