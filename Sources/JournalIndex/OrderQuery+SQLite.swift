import GRDB
import Payments
import Store

extension OrderQuery {
    static let overdueCondition =
        "expires IS NOT NULL AND status IN ('pending', 'authorized') AND expires < ?"

    /// The newest `limit` orders.
    func fetch(_ database: Database, limit: Int, now: Timestamp) throws -> [ListedOrder] {
        let (conditions, arguments) = conditions(now: now)
        let filter = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        let sql = "SELECT * FROM orders \(filter) ORDER BY first DESC LIMIT ?"
        let all = arguments + [limit]
        return try Row.fetchAll(database, sql: sql, arguments: StatementArguments(all))
            .map { try ListedOrder($0, now: now) }
    }

    private typealias Argument = (any DatabaseValueConvertible)?

    private func conditions(now: Timestamp) -> (sql: [String], arguments: [Argument]) {
        var sql: [String] = []
        var arguments: [Argument] = []
        func require(_ condition: String, _ values: Argument...) {
            sql.append(condition)
            arguments += values
        }
        func require(_ names: [OrderKey]) {
            let rows = names.map { name in
                switch name {
                case .reference(let endpoint, let reference):
                    arguments += [reference, endpoint] as [Argument]
                    return "SELECT first FROM orders WHERE reference = ? AND endpoint = ?"
                case .id(let endpoint, let id), .unjoined(let endpoint, let id):
                    arguments += [endpoint, id] as [Argument]
                    return "SELECT first FROM orders WHERE endpoint = ? AND transactionID = ? "
                        + "AND reference IS NULL"
                }
            }
            // A compound statement has 500 parts at most.
            let parts = stride(from: 0, to: max(rows.count, 1), by: 400).map {
                let part = rows[$0..<min($0 + 400, rows.count)]
                return "first IN (\(part.joined(separator: " UNION ALL ")))"
            }
            sql.append("(\(parts.joined(separator: " OR ")))")
        }
        if let endpoint { require("endpoint = ?", endpoint) }
        if !statuses.isEmpty {
            sql.append("status IN (\(statuses.map { _ in "?" }.joined(separator: ", ")))")
            arguments += statuses.map { $0.rawValue as Argument }
            // SQLite uses the index of unpaid orders only with its condition in the query.
            if !statuses.contains(.paid) { sql.append("status <> 'paid'") }
        }
        if flag == Overdue.flag {
            require(Self.overdueCondition, now.microseconds)
        } else if let flag {
            require("flags <> '' AND instr(flags, ?) > 0", ",\(flag),")
        }
        if let from { require("created >= ?", from.microseconds) }
        if let to { require("created < ?", to.microseconds) }
        if let amountMin { require("minor >= ?", amountMin) }
        if let amountMax { require("minor <= ?", amountMax) }
        if let currency { require("currency = ?", currency) }
        if let names { require(names) }
        if let folded {
            require(
                "(reference = ? COLLATE NOCASE OR transactionID = ? COLLATE NOCASE)", folded,
                folded)
        }
        if let text {
            require(
                "(instr(lower(reference), lower(?)) > 0 OR "
                    + "instr(lower(transactionID), lower(?)) > 0)", text, text)
        }
        if let cursor { require("first < ?", Int64(clamping: cursor)) }
        return (sql, arguments)
    }
}
