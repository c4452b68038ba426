import GRDB

/// Writes the other references that lead to an order. Few records have any.
struct AliasWriter {
    let database: Database

    /// The order that an alias leads to: its reference, or without one its id.
    struct Target {
        var endpoint: String
        var reference: String?
        var id: String?
    }

    /// Lets `alias` lead to `target`, too.
    func add(_ alias: String, to target: Target) throws {
        try database.execute(
            sql: "INSERT OR IGNORE INTO aliases (alias, endpoint, reference, id) "
                + "VALUES (?, ?, ?, ?)",
            arguments: [
                alias, target.endpoint, target.reference ?? "",
                target.reference == nil ? target.id ?? "" : "",
            ])
    }

    /// Moves the aliases of one order to `target`, of which it is a part now.
    func move(from old: Target, to target: Target) throws {
        try database.execute(
            sql: """
                UPDATE OR REPLACE aliases SET reference = ?, id = ?
                WHERE endpoint = ? AND reference = ? AND id = ?
                """,
            arguments: [
                target.reference ?? "", target.reference == nil ? target.id ?? "" : "",
                old.endpoint, old.reference ?? "", old.reference == nil ? old.id ?? "" : "",
            ])
        if let reference = old.reference { try add(reference, to: target) }
    }

    /// Selects the keys of the rows of orders that are known under a reference. It takes the
    /// reference twice.
    static let rowsByReference = """
        SELECT first FROM orders WHERE reference = ?
        UNION
        SELECT orders.first FROM aliases JOIN orders ON orders.endpoint = aliases.endpoint
            AND (orders.reference = aliases.reference
                OR (orders.reference IS NULL AND orders.transactionID = aliases.id))
        WHERE aliases.alias = ?
        """
}
