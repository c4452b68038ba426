/// The amounts that were reported for one status of one thing.
///
/// All reports of one status should have the same amount. If they differ, all are kept, so that a
/// person sees each claim. Of more than `countMax` the least ones and the greatest are kept: this
/// bounds the memory and does not depend on the order of arrival.
public struct AmountClaims: Sendable, Hashable {
    /// The least claim. It is the one that counts, so that a shop never ships for more than was
    /// certainly paid.
    public private(set) var lowest: Money
    /// The other claims in ascending order. Nearly always empty, and then without an allocation.
    package private(set) var others: [Money] = []

    /// Maximum number of claims kept for one status.
    package static let countMax = 8

    package init(_ amount: Money) {
        lowest = amount
    }

    /// Returns nil unless the claims are strictly ascending and at most ``countMax``.
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

    /// Whether all reports agree.
    public var isOneAmount: Bool { others.isEmpty }
    /// All claims in ascending order.
    public var all: [Money] { [lowest] + others }

    /// Whether every reported amount is `amount`.
    package func isExactly(_ amount: Money) -> Bool {
        lowest == amount && others.isEmpty
    }

    /// Whether every reported amount is in `currency`.
    func areAll(in currency: Currency) -> Bool {
        lowest.currency == currency && others.allSatisfy { $0.currency == currency }
    }

    mutating func join(_ other: AmountClaims) {
        if self == other { return }
        var union = Set(all)
        union.formUnion(other.all)
        var sorted = union.sorted()
        if sorted.count > Self.countMax {
            // Keep the least ones and the greatest, whatever the order of joining.
            sorted.removeSubrange((Self.countMax - 1)..<(sorted.count - 1))
        }
        lowest = sorted[0]
        others = Array(sorted[1...])
    }
}
