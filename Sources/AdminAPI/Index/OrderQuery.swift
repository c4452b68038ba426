import GRDB
import Payments

/// Which orders are wanted: every condition must hold.
package struct OrderQuery: Sendable, Equatable {
    package var endpoint: String?
    /// Any of these.
    package var statuses: [OrderStatus] = []
    /// A `Flag`, or `overdue`.
    package var flag: String?
    /// When the order was first heard of: from, inclusive, and to, exclusive.
    package var from: Timestamp?
    package var to: Timestamp?
    /// In minor units, both inclusive.
    package var amountMin: Int64?
    package var amountMax: Int64?
    package var currency: String?
    /// The whole reference, or an alias.
    package var reference: String?
    /// A part of the reference.
    package var text: String?
    /// Only orders whose first sequence is below it: those after a page.
    package var cursor: UInt64?

    package init() {}

    static let overdueCondition =
        "expires IS NOT NULL AND status IN ('pending', 'authorized') AND expires < ?"

    /// The newest `limit` orders.
    func fetch(_ database: Database, limit: Int, now: Timestamp) throws -> [IndexedOrder] {
        let (conditions, arguments) = conditions(now: now)
        let filter = conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))"
        let sql = "SELECT * FROM orders \(filter) ORDER BY first DESC LIMIT ?"
        let all = arguments + [limit]
        return try Row.fetchAll(database, sql: sql, arguments: StatementArguments(all))
            .map { try IndexedOrder($0, now: now) }
    }

    private typealias Argument = (any DatabaseValueConvertible)?

    private func conditions(now: Timestamp) -> (sql: [String], arguments: [Argument]) {
        var sql: [String] = []
        var arguments: [Argument] = []
        func require(_ condition: String, _ values: Argument...) {
            sql.append(condition)
            arguments += values
        }
        if let endpoint { require("endpoint = ?", endpoint) }
        if !statuses.isEmpty {
            sql.append("status IN (\(statuses.map { _ in "?" }.joined(separator: ", ")))")
            arguments += statuses.map { $0.rawValue as Argument }
            // SQLite takes the index of the orders that are not paid when it is told so.
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
        if let reference {
            require("first IN (\(AliasWriter.rowsByReference))", reference, reference)
        }
        if let text { require("instr(reference, ?) > 0", text) }
        if let cursor { require("first < ?", Int64(clamping: cursor)) }
        return (sql, arguments)
    }
}
