import Payments

/// The `order` member of a record: what the order is after the event.
struct OrderChange: Sendable, Equatable {
    var reference: String?
    /// The transaction that the notification named; of an order without a reference the id under
    /// which it is kept.
    var transaction: String?
    /// Nil when the event was the first that named this order.
    var previous: OrderStatus?
    var summary: OrderSummary
    /// The references of orders that are part of this one from now on.
    var absorbed: [String] = []
    /// The ids under which parts of it were kept that had no reference.
    var absorbedIDs: [String] = []
}
