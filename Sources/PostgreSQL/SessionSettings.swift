/// Options of sessions, set in each one whatever the role or the database sets.
package struct SessionSettings: Sendable, Equatable {
    /// The synchronous standby's progress that a commit waits for (PostgreSQL documentation,
    /// 20.5.1). `local`, `remote_write` and `off` would break the promise and are not offered.
    package enum SynchronousCommit: String, Sendable, CaseIterable {
        /// The standby has written it to disk.
        case on
        /// The standby has also made it visible to its readers.
        case remoteApply = "remote_apply"
    }

    /// The schema of ipnd's tables: the only one on the search path besides PostgreSQL's own.
    package var schema: String
    package var synchronousCommit = SynchronousCommit.on
    /// Seconds per host until it has accepted the session.
    package var connectSecondsMax = 5
    /// Seconds that sent bytes may stay unacknowledged by the peer's kernel (TCP_USER_TIMEOUT).
    package var tcpUserSecondsMax = 10
    /// TCP keepalive of an idle connection: seconds before the first probe, between probes, and
    /// number of unanswered probes.
    package var keepaliveIdleSeconds = 5
    package var keepaliveIntervalSeconds = 2
    package var keepaliveCountMax = 3
    /// Server-side limits: for a statement, for a lock, and for an idle open transaction.
    package var statementSecondsMax = 10
    package var lockSecondsMax = 5
    package var idleInTransactionSecondsMax = 10
    /// The name shown in pg_stat_activity.
    package var applicationName = "ipnd"

    package init(schema: String) { self.schema = schema }

    /// Options that are set once the session is established, so that they override every default.
    /// Warnings must be visible, because a commit that did not reach its standby comes with one.
    /// `default_transaction_read_only` is not among them: administrators fence a server with it.
    var pinned: [(name: String, value: String)] {
        [
            ("client_min_messages", "warning"),
            ("synchronous_commit", synchronousCommit.rawValue),
            ("statement_timeout", "\(statementSecondsMax)s"),
            ("lock_timeout", "\(lockSecondsMax)s"),
            ("idle_in_transaction_session_timeout", "\(idleInTransactionSecondsMax)s"),
            // `pg_catalog` is searched before both. Without `pg_temp` here, the schema of temporary
            // objects would be searched first, even before `pg_catalog`.
            ("search_path", "\"\(schema)\", pg_temp"),
            ("application_name", applicationName),
            ("default_transaction_isolation", "read committed"),
            ("standard_conforming_strings", "on"),
            ("bytea_output", "hex"),
            ("timezone", "UTC"),
            ("datestyle", "ISO, MDY"),
        ]
    }

    /// libpq's own options: the connection string takes precedence, except for options that ipnd
    /// depends on.
    func completing(_ options: [String: String]) -> [String: String] {
        let defaults = [
            "tcp_user_timeout": "\(tcpUserSecondsMax * 1000)", "keepalives": "1",
            "keepalives_idle": "\(keepaliveIdleSeconds)",
            "keepalives_interval": "\(keepaliveIntervalSeconds)",
            "keepalives_count": "\(keepaliveCountMax)",
            "connect_timeout": "\(connectSecondsMax)",
        ]
        var all = defaults.merging(options) { $1 }
        all["client_encoding"] = "UTF8"
        // Each host is tried and checked separately; see `HostList`.
        all["target_session_attrs"] = "any"
        return all
    }
}
