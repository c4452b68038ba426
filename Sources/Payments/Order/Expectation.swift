/// The amount and deadline that the merchant registered for an order.
public struct Expectation: Sendable, Hashable, Comparable {
    /// The sum that the customer has to pay.
    public var amount: Money
    /// When the merchant stops waiting. The order rules do not read a clock; callers compare it.
    public var expires: Timestamp?

    /// Creates an expectation, by default without a deadline.
    public init(amount: Money, expires: Timestamp? = nil) {
        self.amount = amount
        self.expires = expires
    }

    /// A total order for choosing one of two, independent of the order of arrival.
    public static func < (left: Expectation, right: Expectation) -> Bool {
        guard left.amount == right.amount else { return left.amount < right.amount }
        switch (left.expires, right.expires) {
        case (let left?, let right?): return left < right
        case (nil, _?): return true
        case (_, nil): return false
        }
    }
}
