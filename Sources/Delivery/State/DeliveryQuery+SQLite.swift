import GRDB
import Payments

extension DeliveryQuery {
    /// One page, the oldest first.
    func fetch(_ database: Database) throws -> DeliveryList {
        var (filter, arguments) = conditions
        if let cursor {
            filter += filter.isEmpty ? "WHERE id > ?" : " AND id > ?"
            arguments.append(cursor)
        }
        arguments.append(limit + 1)
        let rows = try Row.fetchAll(
            database, sql: "SELECT * FROM delivery \(filter) ORDER BY id LIMIT ?",
            arguments: StatementArguments(arguments))
        let attempts = try database.cachedStatement(
            sql: """
                SELECT * FROM attempt WHERE destination = ? AND sequence = ?
                ORDER BY id DESC LIMIT 1
                """)
        var list = DeliveryList(deliveries: [], cursor: nil)
        for row in rows.prefix(limit) {
            var delivery = try PendingDelivery(row)
            delivery.last = try Row.fetchOne(
                attempts, arguments: [delivery.destination, Int64(clamping: delivery.sequence)]
            ).map { try LoggedAttempt($0) }
            list.deliveries.append(delivery)
        }
        if rows.count > limit { list.cursor = list.deliveries.last?.id }
        return list
    }

    func count(_ database: Database) throws -> Int {
        let (filter, arguments) = conditions
        return try Int.fetchOne(
            database, sql: "SELECT count(*) FROM delivery \(filter)",
            arguments: StatementArguments(arguments)) ?? 0
    }

    private typealias Argument = (any DatabaseValueConvertible)?

    private var conditions: (filter: String, arguments: [Argument]) {
        var sql: [String] = []
        var arguments: [Argument] = []
        if let destination {
            sql.append("destination = ?")
            arguments.append(destination)
        }
        if let state {
            sql.append("isDead = ?")
            arguments.append(state == .dead)
        }
        if let reference {
            sql.append("reference = ?")
            arguments.append(reference)
        }
        if let sequence {
            sql.append("sequence = ?")
            arguments.append(Int64(clamping: sequence))
        }
        return (sql.isEmpty ? "" : "WHERE " + sql.joined(separator: " AND "), arguments)
    }
}

extension PendingDelivery {
    init(_ row: Row) throws {
        let isDead: Bool = try row.decode(forColumn: "isDead")
        let due: Int64 = try row.decode(forColumn: "due")
        self.init(
            id: try row.decode(forColumn: "id"),
            destination: try row.decode(forColumn: "destination"),
            sequence: UInt64(clamping: try row.decode(Int64.self, forColumn: "sequence")),
            endpoint: try row.decode(forColumn: "endpoint"),
            reference: try row.decode(forColumn: "reference"),
            kind: try row.decode(forColumn: "kind"),
            status: try row.decode(forColumn: "status"),
            received: Timestamp(microseconds: try row.decode(forColumn: "received")),
            state: isDead ? .dead : .waiting, attempts: try row.decode(forColumn: "attempts"),
            due: isDead || due == 0 ? nil : Timestamp(microseconds: due), last: nil)
    }
}

extension LoggedAttempt {
    init(_ row: Row) throws {
        self.init(
            destination: try row.decode(forColumn: "destination"),
            sequence: UInt64(clamping: try row.decode(Int64.self, forColumn: "sequence")),
            reference: try row.decode(forColumn: "reference"),
            began: Timestamp(microseconds: try row.decode(forColumn: "began")),
            number: try row.decode(forColumn: "number"),
            outcome: AttemptOutcomeSummary(
                status: try row.decode(forColumn: "status"),
                reason: try row.decode(forColumn: "reason"),
                latencyMicroseconds: try row.decode(forColumn: "latency"),
                detail: try row.decode(forColumn: "detail"),
                excerpt: try row.decode(forColumn: "excerpt")))
    }
}
