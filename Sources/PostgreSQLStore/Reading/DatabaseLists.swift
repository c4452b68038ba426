import Payments
import Platform
import PostgreSQL
import Store

/// Lists of orders by SQL. They are the same for every instance, because the tables are.
package struct DatabaseLists: OrderLists {
    let reader: DatabaseReader

    /// False, because a batch is in the tables before it is reported.
    package var isBehind: Bool { false }

    package func sequence() async throws(ReadFailure) -> UInt64 { try await reader.last() }

    package func page(
        _ query: OrderQuery, limit: Int
    ) async throws(ReadFailure) -> OrderListPage {
        let now = Timestamp(microseconds: reader.clock.wallMicroseconds)
        return try await reader.read { session throws(PostgresError) in
            var conditions = try OrderConditions(query, session, now: now)
            let command = conditions.command(limit: limit + 1)
            // The head is read after the rows, so no row is newer.
            let results = try session.run([command, Command(ReaderSession.head)])
            try session.confirm(UInt64(clamping: try results[1].integer(0, 0)))
            var orders: [ListedOrder] = []
            for row in 0..<results[0].rowCount {
                orders.append(try ListedOrder(results[0], row, now: now))
            }
            return OrderListPage(orders: orders, limit: limit)
        }
    }

    package func overdueCount() async -> Int? {
        let now = reader.clock.wallMicroseconds
        return try? await reader.read { session throws(PostgresError) in
            let command = Command(Self.overdue).with(now)
            return Int(try session.run([command])[0].integer(0, 0))
        }
    }

    package func paidHours(since time: Timestamp) async throws(ReadFailure) -> PaidHours {
        try await reader.read { session throws(PostgresError) in
            let hours = Command(Self.paid).with(time.microseconds)
            let cut = Command(Self.paidCut).with(time.microseconds)
            let results = try session.run([hours, cut])
            var rows: [PaidHours.Row] = []
            for row in 0..<results[0].rowCount {
                let currency = try results[0].optionalText(row, 2)
                guard let captured = try results[0].money(row, 4, currency) else { continue }
                rows.append(
                    PaidHours.Row(
                        hour: Timestamp(microseconds: try results[0].integer(row, 0)),
                        endpoint: try results[0].text(row, 1),
                        orders: Int(try results[0].integer(row, 3)), captured: captured))
            }
            return PaidHours(rows: rows, isCut: results[1].rowCount > 0)
        }
    }

    private static let newest =
        "(SELECT * FROM order_state ORDER BY first DESC LIMIT \(PaidHours.ordersMax))"

    /// The sum of a column of `bigint` is `numeric`; one that does not fit is an error, as in
    /// SQLite.
    private static let paid = Statement(
        name: "paid_hours",
        sql: """
            SELECT (extract(epoch FROM date_trunc('hour', created, 'UTC')) * 1000000)::bigint
                AS hour, endpoint.name, currency, count(*), sum(captured)::bigint
            FROM \(newest) AS newest JOIN endpoint ON endpoint.number = newest.endpoint
            WHERE created >= \(OrderConditions.time("$1")) AND \(PaidHours.condition)
                AND position(',\(PaidHours.testFlag),' IN flags) = 0
            GROUP BY hour, endpoint.name, currency ORDER BY hour, endpoint.name, currency
            """)

    private static let paidCut = Statement(
        name: "paid_cut",
        sql: """
            SELECT 1 FROM (SELECT created FROM order_state ORDER BY first DESC
                LIMIT 1 OFFSET \(PaidHours.ordersMax)) AS oldest
            WHERE created >= \(OrderConditions.time("$1"))
            """)

    private static let overdue = Statement(
        name: "overdue",
        sql: "SELECT count(*) FROM order_state WHERE \(OrderConditions.overdue("$1"))")
}

/// A query's conditions as SQL, and the values of its parameters.
struct OrderConditions {
    private enum Value {
        case integer(Int64)
        case text(String)
        case column(Column)
    }

    private var sql: [String] = []
    private var values: [Value] = []

    /// Converts a parameter in microseconds since 1970.
    static func time(_ parameter: String) -> String {
        "'epoch'::timestamptz + \(parameter)::bigint * interval '1 microsecond'"
    }

    /// The condition that an order is overdue at the time of this parameter.
    static func overdue(_ parameter: String) -> String {
        "expires IS NOT NULL AND status IN ('pending', 'authorized') AND expires < "
            + time(parameter)
    }

    /// - Parameter session: Used only for its endpoints.
    init(
        _ query: OrderQuery, _ session: ReaderSession, now: Timestamp
    ) throws(PostgresError) {
        try session.readEndpoints()
        if let endpoint = query.endpoint {
            // An unknown endpoint has no orders.
            let number = session.endpoints[endpoint].map(Int64.init) ?? -1
            require(.integer(number)) { "order_state.endpoint = \($0)" }
        }
        if !query.statuses.isEmpty {
            var column = Column(.text)
            for status in query.statuses { column.append(status.rawValue) }
            require(.column(column)) { "status = ANY(\($0))" }
            // Allows the partial index of the orders that are not paid.
            if !query.statuses.contains(.paid) { sql.append("status <> 'paid'") }
        }
        if query.flag == Overdue.flag {
            require(.integer(now.microseconds), Self.overdue)
        } else if let flag = query.flag {
            require(.text(",\(flag),")) { "flags <> '' AND position(\($0) IN flags) > 0" }
        }
        if let from = query.from {
            require(.integer(from.microseconds)) { "created >= \(Self.time($0))" }
        }
        if let to = query.to {
            require(.integer(to.microseconds)) { "created < \(Self.time($0))" }
        }
        if let least = query.amountMin { require(.integer(least)) { "amount >= \($0)" } }
        if let most = query.amountMax { require(.integer(most)) { "amount <= \($0)" } }
        if let currency = query.currency { require(.text(currency)) { "currency = \($0)" } }
        if let names = query.names {
            var keys = Column(.uuid)
            for name in names {
                if let key = try session.key(name) { keys.append(key) }
            }
            require(.column(keys)) { "key = ANY(\($0))" }
        }
        if let text = query.folded {
            require(.text(text)) {
                "(lower(reference) = lower(\($0)) OR lower(transaction) = lower(\($0)))"
            }
        }
        if let text = query.text {
            require(.text(text)) {
                "(position(lower(\($0)) IN lower(reference)) > 0 "
                    + "OR position(lower(\($0)) IN lower(transaction)) > 0)"
            }
        }
        if let cursor = query.cursor {
            require(.integer(Int64(clamping: cursor))) { "first < \($0)" }
        }
    }

    private mutating func require(_ value: Value, _ condition: (_ parameter: String) -> String) {
        values.append(value)
        sql.append(condition("$\(values.count)"))
    }

    /// The newest `limit` orders.
    mutating func command(limit: Int) -> Command {
        let filter = sql.isEmpty ? "" : "WHERE \(sql.joined(separator: " AND "))"
        values.append(.integer(Int64(limit)))
        var command = Command(
            """
            SELECT \(ListedOrder.columns)
            FROM order_state JOIN endpoint ON endpoint.number = order_state.endpoint
            \(filter) ORDER BY first DESC LIMIT $\(values.count)
            """)
        for value in values {
            switch value {
            case .integer(let number): command = command.with(number)
            case .text(let text): command = command.with(text)
            case .column(let column): command = command.with(column)
            }
        }
        return command
    }
}
