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
