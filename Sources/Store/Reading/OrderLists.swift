import Payments

/// Lists of orders: behind a journal an index of its own, behind a database its tables.
package protocol OrderLists: Sendable {
    /// The last record that the lists know of.
    func sequence() async throws(ReadFailure) -> UInt64

    /// Whether they follow what is recorded, a moment behind.
    var isBehind: Bool { get }

    /// The newest orders that `query` names, at most `limit`, and whether there are more.
    func page(_ query: OrderQuery, limit: Int) async throws(ReadFailure) -> OrderListPage

    /// How many orders are overdue now; nil while the lists cannot be read.
    func overdueCount() async -> Int?
}

/// One page of a list.
package struct OrderListPage: Sendable, Equatable {
    package var orders: [ListedOrder]
    /// Where the next page begins; nil when this is the last.
    package var cursor: UInt64?

    /// - Parameter orders: One more than `limit` when there are more.
    package init(orders: [ListedOrder], limit: Int) {
        self.orders = Array(orders.prefix(limit))
        cursor = orders.count > limit ? self.orders.last?.first : nil
    }

    /// What one page holds at most.
    package static let countMax = 1000
}

/// An order as a list shows it.
package struct ListedOrder: Sendable, Equatable {
    /// The first record that named it, and the last.
    package var first: UInt64
    package var last: UInt64
    package var endpoint: String
    package var reference: String?
    /// The provider's id that was named last.
    package var transaction: String?
    package var status: String
    package var amount: Money?
    package var refunded: Money?
    /// What was set aside or taken at once.
    package var authorized: Money?
    /// What was taken.
    package var captured: Money?
    /// Why it failed, expired or was canceled, by the provider's word.
    package var reason: Reason?
    /// How it was paid, in the provider's word.
    package var method: String?
    /// The agreement of which it is an instalment, by the provider's id.
    package var agreement: String?
    package var flags: [String]
    package var created: Timestamp
    package var updated: Timestamp
    package var expected: Money?
    package var expires: Timestamp?
    /// The merchant's own JSON object.
    package var metadata: String?

    package init(
        first: UInt64, last: UInt64, endpoint: String, status: String, created: Timestamp,
        updated: Timestamp
    ) {
        self.first = first
        self.last = last
        self.endpoint = endpoint
        self.status = status
        self.created = created
        self.updated = updated
        flags = []
    }

    /// Adds the flag that depends on the clock.
    package mutating func noteOverdue(now: Timestamp) {
        guard let status = OrderStatus(rawValue: status) else { return }
        if Overdue.isOverdue(status, expires, now: now) { flags.append(Overdue.flag) }
    }
}
