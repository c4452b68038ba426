import PostgreSQL

/// The right to do a task that one process at a time does, from a row of the table `lease`, and to
/// write under it.
package struct Lease: Sendable, Equatable {
    package let name: String
    /// The process, as a random number.
    let holder: String
    /// Number of times that the lease was taken.
    package let fence: Int64
}

extension ReaderSession {
    /// Runs the commands as one transaction, which all copies hold when this returns. If it throws,
    /// the transaction may or may not have been committed.
    package func commit(_ commands: [Command]) throws(PostgresError) -> [PostgresResult] {
        try commit([Command(Self.begin)] + commands, skipping: 1)
    }

    /// Like ``commit(_:)``, if `lease` is still held. Returns nil, having done nothing, if another
    /// process has taken it since.
    ///
    /// The row stays locked until the commit: another process takes the lease either before the
    /// commands, which then do nothing, or after them, and sees their effect.
    package func commit(
        under lease: Lease, _ commands: [Command]
    ) throws(PostgresError) -> [PostgresResult]? {
        link.clearWarning()
        do throws(PostgresError) {
            let locked = try run([Command(Self.begin), Command(Self.lockLease).with(lease)])
            guard locked[1].rowCount == 1 else {
                _ = try run([Command("ROLLBACK")])
                return nil
            }
        } catch {
            // Ends the transaction.
            link.abandon()
            throw error
        }
        return try commit(commands, skipping: 0)
    }

    private func commit(
        _ commands: [Command], skipping count: Int
    ) throws(PostgresError) -> [PostgresResult] {
        if count > 0 { link.clearWarning() }
        do throws(PostgresError) {
            let results = try run(commands + [Command(Self.commit)])
            // A commit with a warning may be on this server only (see `BatchTransaction`).
            guard link.warning == nil, results.last?.tag == "COMMIT" else {
                throw .lost("a commit came with a warning")
            }
            return Array(results.dropFirst(count).dropLast())
        } catch {
            link.abandon()
            throw error
        }
    }

    private static let lockLease = Statement(
        name: "lease_lock",
        sql: """
            SELECT FROM lease WHERE name = $1 AND holder = $2 AND fence = $3 FOR NO KEY UPDATE
            """)
}

extension Command {
    consuming func with(_ lease: Lease) -> Command {
        with(lease.name).with(lease.holder).with(lease.fence)
    }
}
