import PostgreSQL

/// What one process at a time does, by a row of the table `lease`: the right to write under it.
package struct Lease: Sendable, Equatable {
    package let name: String
    /// The process, as a number drawn by chance.
    let holder: String
    /// Counts how often the lease was taken.
    package let fence: Int64
}

extension ReaderSession {
    /// Runs the commands as one transaction, which all copies keep when it returns. Where it
    /// throws, it may have happened or not.
    package func commit(_ commands: [Command]) throws(PostgresError) -> [PostgresResult] {
        try commit([Command(Self.begin)] + commands, skipping: 1)
    }

    /// The same, if `lease` is still the one that was taken. Nil, and nothing was done, when
    /// another process has taken it since.
    ///
    /// The row stays locked until the commit: whoever takes the lease comes before the commands,
    /// which then do nothing, or after them, and sees what they did.
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
            // The transaction must not stay open.
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
            // A commit with a warning may be on this server alone (see `BatchTransaction`).
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
