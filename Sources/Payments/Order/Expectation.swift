/// The amount and deadline that the merchant registered for an order.
package struct Expectation: Sendable, Hashable, Comparable {
    package var amount: Money
    /// When the merchant stops waiting. The order rules do not read a clock; callers compare it.
    package var expires: Timestamp?

    package init(amount: Money, expires: Timestamp? = nil) {
        self.amount = amount
        self.expires = expires
    }

    /// A total order for choosing one of two, independent of the order of arrival.
    package static func < (left: Expectation, right: Expectation) -> Bool {
        guard left.amount == right.amount else { return left.amount < right.amount }
        switch (left.expires, right.expires) {
        case (let left?, let right?): return left < right
        case (nil, _?): return true
        case (_, nil): return false
        }
    }
}
