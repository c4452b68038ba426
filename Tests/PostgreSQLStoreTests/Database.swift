import Platform
import PostgreSQL
import PostgreSQLFixture
import TestSupport

@testable import PostgreSQLStore

extension MonotonicTime {
    static var soon: MonotonicTime { SystemClock().now.advanced(seconds: 60) }
}

/// A test's own database on the server that all tests share.
struct Database {
    let server: PostgreSQLServer
    let name: String
    /// High limits, which are reached neither on a machine that pauses for seconds, nor by a clock
    /// that a test moves.
    let settings = {
        var settings = SessionSettings(schema: "ipnd")
        settings.connectSecondsMax = 1_000_000
        settings.statementSecondsMax = 1_000_000
        settings.lockSecondsMax = 60
        settings.idleInTransactionSecondsMax = 60
        return settings
    }()

    init() throws { try self.init(on: .common()) }

    init(on server: PostgreSQLServer) throws {
        self.init(server: server, name: try server.newDatabase())
    }

    init(server: PostgreSQLServer, name: String) {
        self.server = server
        self.name = name
    }

    /// The database `postgres` of a server.
    static func standbyless(_ server: PostgreSQLServer) throws -> Database {
        Database(server: server, name: "postgres")
    }

    func connect(more: String = "") throws -> PostgresConnection {
        let text = server.string(database: name, more: more)
        return try PostgresConnection.connect(
            try ConnectionString(text), settings, clock: SystemClock())
    }

    /// Connects as a role that can log in, and is a member of others.
    func connect(as role: String) throws -> PostgresConnection {
        let text = "host=127.0.0.1 port=\(server.port) dbname=\(name) user=\(role) password=pw"
        return try PostgresConnection.connect(
            try ConnectionString(text), settings, clock: SystemClock())
    }

    @discardableResult
    func install() throws -> SchemaInstaller.Outcome {
        try SchemaInstaller(try connect(), schema: "ipnd").run()
    }

    /// Runs SQL as superuser in the schema; returns its output.
    @discardableResult
    func psql(_ sql: String) throws -> String {
        try server.psql("SET search_path = ipnd; \(sql)", database: name)
    }
}

extension Database {
    /// Sets the name of the synchronous standby; none of that name exists. Returns when commits
    /// wait for it, or no longer do: the server's processes apply the setting one after the other,
    /// the one that matters last.
    func setStandby(_ name: String) async throws {
        try server.psql("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
        try server.psql("SELECT pg_reload_conf()")
        let probe = "SELECT pg_logical_emit_message(true, 'probe', '')"
        // The process that makes commits wait also releases them.
        if name.isEmpty { return try await onOwnThread { [server] in try server.psql(probe) } }
        var waits = false
        while !waits {
            let connection = try connect()
            let process = try connection.run(Command("SELECT pg_backend_pid()"), until: .soon)
                .integer(0, 0)
            try connection.send([Command(probe)])
            // It waits for the standby, or has returned.
            let state = try await nonEmpty(
                """
                SELECT coalesce(nullif(wait_event_type, 'Client'), 'done') FROM pg_stat_activity
                WHERE pid = \(process) AND query LIKE '%probe%'
                    AND (wait_event = 'SyncRep' OR state = 'idle')
                """)
            waits = state != "done"
            connection.abandon()
            try server.psql("SELECT pg_terminate_backend(\(process), 60000)")
        }
    }

    /// Runs SQL until it returns something.
    private func nonEmpty(_ sql: String) async throws -> String {
        var printed = ""
        _ = try await eventuallyYielding {
            printed = try server.psql(sql)
            return !printed.isEmpty
        }
        return printed
    }

    /// The processes whose commit waits for the standby.
    func waiting() throws -> [String] {
        try server.psql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            .split(separator: "\n").map(String.init)
    }
}
