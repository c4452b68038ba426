import Payments

/// The `order` member of a record: what the order is after the event.
struct OrderChange: Sendable, Equatable {
    var reference: String?
    /// The transaction that the notification named.
    var transaction: String?
    /// Nil when the event was the first that named this order.
    var previous: OrderStatus?
    var summary: OrderSummary
}
