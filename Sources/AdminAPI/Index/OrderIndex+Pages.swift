import GRDB
import Payments

extension OrderIndex {
    /// What one page holds at most.
    static let pageOrdersMax = 1000

    /// Orders, the newest first, and whether there are more. Throws what SQLite says.
    package func page(_ query: OrderQuery, limit: Int) async throws -> OrderListPage {
        let now = Timestamp.now()
        let orders = try await database.read { database in
            try query.fetch(database, limit: limit + 1, now: now)
        }
        return OrderListPage(orders: orders, limit: limit)
    }
}

/// One page of a list.
package struct OrderListPage: Sendable, Equatable {
    package var orders: [IndexedOrder]
    /// Where the next page begins; nil when this is the last.
    package var cursor: UInt64?

    init(orders: [IndexedOrder], limit: Int) {
        self.orders = Array(orders.prefix(limit))
        cursor = orders.count > limit ? self.orders.last?.first : nil
    }
}
