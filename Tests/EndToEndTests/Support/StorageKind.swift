import Foundation
import PostgreSQLFixture
import TestSupport
import Testing

/// The storage of an instance's record. Merchants and providers must see the same with both.
enum StorageKind: String, CaseIterable, CustomTestStringConvertible {
    case journal, database

    /// Both kinds; without PostgreSQL only the journal.
    static let all: [StorageKind] =
        PostgreSQLServer.isInstalled ? [.journal, .database] : [.journal]

    var testDescription: String { rawValue }
}

/// A database that instances share.
struct SharedDatabase {
    let server: PostgreSQLServer
    let name: String

    /// Creates a database without tables.
    init(on server: PostgreSQLServer? = nil) throws {
        self.server = try server ?? .common()
        name = try self.server.newDatabase()
    }

    var connection: String { server.string(database: name) }

    /// The setting that replaces the journal in a configuration.
    static let section = "database: {connection: {file: secrets/database}}"

    /// Creates the tables.
    func install(_ configurationFile: String) throws {
        let made = try run(
            Binary.ipnd, ["database", "init", "--config", configurationFile])
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Expires all leases of a killed instance.
    func expireLeases(of instance: Instance) throws {
        try server.psql(
            "UPDATE ipnd.lease SET expires = clock_timestamp() "
                + "WHERE label LIKE '%:\(instance.process.processIdentifier)'", database: name)
    }

    /// The records, in order.
    func records() throws -> [[String: Any]] {
        let lines = try server.psql(
            "SELECT convert_from(record, 'UTF8') FROM ipnd.event ORDER BY sequence",
            database: name)
        return try lines.split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }
}
