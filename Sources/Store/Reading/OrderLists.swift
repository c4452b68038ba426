import Payments

/// Lists of orders: a separate index for a journal, the tables for a database.
package protocol OrderLists: Sendable {
    /// The last record that the lists include.
    func sequence() async throws(ReadFailure) -> UInt64

    /// Whether the lists lag a moment behind the record.
    var isBehind: Bool { get }

    /// The newest orders that match `query`, at most `limit`, and whether there are more.
    func page(_ query: OrderQuery, limit: Int) async throws(ReadFailure) -> OrderListPage

    /// Number of orders that are overdue now; nil while the lists cannot be read.
    func overdueCount() async -> Int?

    /// Captured money by the hour, of orders first reported at `time` or later.
    func paidHours(since time: Timestamp) async throws(ReadFailure) -> PaidHours
}

/// One page of a list.
package struct OrderListPage: Sendable, Equatable {
    package var orders: [ListedOrder]
    /// Where the next page begins; nil on the last page.
    package var cursor: UInt64?

    /// - Parameter orders: One more than `limit` if there are more.
    package init(orders: [ListedOrder], limit: Int) {
        self.orders = Array(orders.prefix(limit))
        cursor = orders.count > limit ? self.orders.last?.first : nil
    }

    /// Maximum number of orders on a page.
    package static let countMax = 1000
}

/// An order in a list.
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
    /// The amount that was authorized, or captured at once.
    package var authorized: Money?
    /// The captured amount.
    package var captured: Money?
    /// The provider's reason why it failed, expired or was canceled.
    package var reason: Reason?
    /// The payment method, in the provider's word.
    package var method: String?
    /// The agreement of an instalment, by the provider's id.
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

    /// Adds the flag `overdue`, which depends on the clock.
    package mutating func noteOverdue(now: Timestamp) {
        guard let status = OrderStatus(rawValue: status) else { return }
        if Overdue.isOverdue(status, expires, now: now) { flags.append(Overdue.flag) }
    }
}
