/// The least and the greatest amount that were reported for one status of one thing.
///
/// Two reports of the same status should name the same amount. When they do not, keeping both ends
/// is enough to tell so, takes bounded room, and is the same whichever report came first.
package struct AmountRange: Sendable, Hashable {
    package private(set) var lowest: Money
    package private(set) var highest: Money

    package init(_ amount: Money) {
        lowest = amount
        highest = amount
    }

    /// Nil unless `lowest` is not above `highest`.
    package init?(lowest: Money, highest: Money) {
        guard lowest <= highest else { return nil }
        self.lowest = lowest
        self.highest = highest
    }

    package var isOneAmount: Bool { lowest == highest }
    package var isOneCurrency: Bool { lowest.currency == highest.currency }

    /// True when every amount that was reported is `amount`.
    package func isExactly(_ amount: Money) -> Bool {
        lowest == amount && highest == amount
    }

    mutating func join(_ other: AmountRange) {
        lowest = min(lowest, other.lowest)
        highest = max(highest, other.highest)
    }
}
