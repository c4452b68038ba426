import PostgreSQLStore

/// Runs the statements of the delivery state in one database. ``SQLiteSession`` and
/// ``PostgreSQLSession`` contain all that differs between the two: placeholders, the table of
/// ``SQLItems``, and the encoding of values.
package protocol SQLSession: Sendable {
    /// Runs a statement that changes nothing.
    func read(_ call: SQLCall) async throws(DeliveryStateFailure) -> [SQLRow]

    /// Runs the statements in one transaction; returns the rows of each. Throws `leaseLost`, and
    /// changes nothing, if another process has taken `lease` since. Without a lease the transaction
    /// is not fenced.
    func write(
        _ calls: [SQLCall], under lease: Lease?
    ) async throws(DeliveryStateFailure) -> [[SQLRow]]
}
