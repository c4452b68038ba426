/// What the merchant registered for an order before it was paid.
package struct Expectation: Sendable, Hashable, Comparable {
    package var amount: Money
    /// When the merchant stops waiting. The rules do not read a clock: this is for those who ask.
    package var expires: Timestamp?

    package init(amount: Money, expires: Timestamp? = nil) {
        self.amount = amount
        self.expires = expires
    }

    /// A total order that only serves to choose the same one of two, whichever was met first.
    package static func < (left: Expectation, right: Expectation) -> Bool {
        guard left.amount == right.amount else { return left.amount < right.amount }
        switch (left.expires, right.expires) {
        case (let left?, let right?): return left < right
        case (nil, _?): return true
        case (_, nil): return false
        }
    }
}
