/// How sessions are opened, and what is set in each whatever the role or the database says.
package struct SessionSettings: Sendable, Equatable {
    /// What a commit waits for where there are synchronous standbys (PostgreSQL documentation,
    /// 20.5.1). `local`, `remote_write` and `off` would break the promise and are not offered.
    package enum SynchronousCommit: String, Sendable, CaseIterable {
        /// The standby has written it to disk.
        case on
        /// And shows it to readers there.
        case remoteApply = "remote_apply"
    }

    /// The schema with ipnd's tables: the only one on the search path besides PostgreSQL's own.
    package var schema: String
    package var synchronousCommit = SynchronousCommit.on
    /// For one host until it has accepted the session.
    package var connectSecondsMax = 5
    /// How long sent bytes may stay unacknowledged by the peer's kernel (TCP_USER_TIMEOUT).
    package var tcpUserSecondsMax = 10
    /// A connection with nothing to send is probed after so long, so often, so many times.
    package var keepaliveIdleSeconds = 5
    package var keepaliveIntervalSeconds = 2
    package var keepaliveCountMax = 3
    /// The server ends a statement, a wait for a lock, a transaction in which nothing happens.
    package var statementSecondsMax = 10
    package var lockSecondsMax = 5
    package var idleInTransactionSecondsMax = 10
    /// What pg_stat_activity shows.
    package var applicationName = "ipnd"

    package init(schema: String) { self.schema = schema }

    /// What is set once the session is there: last, so that it wins over every default. Warnings
    /// must be seen: a commit that did not reach its standby comes with one. Not among them is
    /// `default_transaction_read_only`, with which administrators fence a server off.
    var pinned: [(name: String, value: String)] {
        [
            ("client_min_messages", "warning"),
            ("synchronous_commit", synchronousCommit.rawValue),
            ("statement_timeout", "\(statementSecondsMax)s"),
            ("lock_timeout", "\(lockSecondsMax)s"),
            ("idle_in_transaction_session_timeout", "\(idleInTransactionSecondsMax)s"),
            // `pg_catalog` is searched before both. Without its name here the schema of temporary
            // objects would be searched first, before `pg_catalog` too.
            ("search_path", "\"\(schema)\", pg_temp"),
            ("application_name", applicationName),
            ("default_transaction_isolation", "read committed"),
            ("standard_conforming_strings", "on"),
            ("bytea_output", "hex"),
            ("timezone", "UTC"),
            ("datestyle", "ISO, MDY"),
        ]
    }

    /// libpq's own options: those of the connection string come first, except where ipnd depends on
    /// one.
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
        // Each host is tried and asked here: see `HostList`.
        all["target_session_attrs"] = "any"
        return all
    }
}
