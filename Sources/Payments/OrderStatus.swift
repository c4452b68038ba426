/// What an order is, derived from everything that was reported about it. Never stored as a fact.
package enum OrderStatus: String, Sendable, CaseIterable {
    case pending
    case authorized
    case paid
    case partiallyRefunded = "partially_refunded"
    case refunded
    case failed
    case canceled
    case expired
    case disputed
    case chargedBack = "charged_back"
    /// A human must look: what was reported does not add up, and none of the other words is safe.
    case review
}
