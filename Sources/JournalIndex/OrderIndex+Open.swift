import GRDB
import Payments
import Store

extension OrderIndex {
    /// The condition of the SQL index `ordersOpen`, word for word: otherwise SQLite does not use
    /// it.
    static let openCondition =
        "(status IN ('pending', 'authorized', 'review') OR (status = 'failed' "
        + "AND expires > updated) OR instr(flags, ',unconfirmed,') > 0 "
        + "OR instr(flags, ',amount_unknown,') > 0) AND reference IS NOT NULL"

    static let openQuery = """
        SELECT first, last, reference, updated, expires FROM orders INDEXED BY ordersOpen
        WHERE endpoint = ?1 AND \(openCondition) AND updated >= ?2 AND updated <= ?3
            AND (updated > ?2 OR first > ?4) AND max(coalesce(expires, updated), updated) >= ?5
        ORDER BY updated, first LIMIT ?6
        """

    func oldestOpen(_ endpoint: String) async throws -> Timestamp? {
        try await database.read { database in
            try Int64.fetchOne(
                database,
                sql: "SELECT min(updated) FROM orders INDEXED BY ordersOpen "
                    + "WHERE endpoint = ? AND \(Self.openCondition)",
                arguments: [endpoint]
            ).map(Timestamp.init(microseconds:))
        }
    }

    func open(_ query: OpenOrderQuery) async throws -> OpenOrderPage {
        try await database.read { database in
            let statement = try database.cachedStatement(sql: Self.openQuery)
            var found: [[OpenOrder]] = []
            var room = query.limit
            for span in query.spans {
                guard room > 0 else { break }
                let orders = try Row.fetchAll(
                    statement,
                    arguments: [
                        query.endpoint, span.after.microseconds, span.through.microseconds,
                        Int64(clamping: span.afterFirst), query.activeSince.microseconds, room,
                    ]
                ).map { row in
                    OpenOrder(
                        first: UInt64(clamping: try row.decode(Int64.self, forColumn: "first")),
                        last: UInt64(clamping: try row.decode(Int64.self, forColumn: "last")),
                        reference: try row.decode(forColumn: "reference"),
                        updated: Timestamp(microseconds: try row.decode(forColumn: "updated")),
                        expires: try row.decode(Int64?.self, forColumn: "expires")
                            .map(Timestamp.init(microseconds:)))
                }
                found.append(orders)
                room -= orders.count
            }
            return OpenOrderPage(found, of: query)
        }
    }
}

extension ServedIndex: OpenOrders {
    package func oldestOpen(_ endpoint: String) async throws(ReadFailure) -> Timestamp? {
        try await read { index in try await index.oldestOpen(endpoint) }
    }

    package func open(_ query: OpenOrderQuery) async throws(ReadFailure) -> OpenOrderPage {
        try await read { index in try await index.open(query) }
    }
}
