import Platform
import PostgreSQL
import PostgreSQLFixture

@testable import PostgreSQLStore

extension MonotonicTime {
    static var soon: MonotonicTime { .now().advanced(seconds: 30) }
}

/// A database of a test's own on the server that all share.
struct Database {
    let server: PostgreSQLServer
    let name: String
    let settings = SessionSettings(schema: "ipnd")

    init() throws { try self.init(on: .common()) }

    init(on server: PostgreSQLServer) throws {
        self.server = server
        name = try server.newDatabase()
    }

    func connect(more: String = "") throws -> PostgresConnection {
        let text = server.string(database: name, more: more)
        return try PostgresConnection.connect(try ConnectionString(text), settings)
    }

    /// As a role that can log in, and is a member of others.
    func connect(as role: String) throws -> PostgresConnection {
        let text = "host=127.0.0.1 port=\(server.port) dbname=\(name) user=\(role) password=pw"
        return try PostgresConnection.connect(try ConnectionString(text), settings)
    }

    @discardableResult
    func install() throws -> SchemaInstaller.Outcome {
        try SchemaInstaller(try connect(), schema: "ipnd").run()
    }

    /// What SQL prints, as superuser, in the schema.
    @discardableResult
    func psql(_ sql: String) throws -> String {
        try server.psql("SET search_path = ipnd; \(sql)", database: name)
    }
}

extension Database {
    /// Names the synchronous standby; none of that name is there. Returns when commits wait for it:
    /// the server's processes take the setting up one after the other, the one that matters last.
    func setStandby(_ name: String) throws {
        try server.psql("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
        try server.psql("SELECT pg_reload_conf()")
        while !name.isEmpty {
            let probe = try connect()
            let process = try probe.run(Command("SELECT pg_backend_pid()"), until: .soon)
                .integer(0, 0)
            do throws(PostgresError) {
                let message = Command("SELECT pg_logical_emit_message(true, 'probe', '')")
                _ = try probe.run(message, until: .now().advanced(nanoseconds: 200_000_000))
            } catch {
                try server.psql("SELECT pg_terminate_backend(\(process), 5000)")
                return
            }
        }
    }

    /// The processes whose commit waits for the standby.
    func waiting() throws -> [String] {
        try server.psql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            .split(separator: "\n").map(String.init)
    }
}
