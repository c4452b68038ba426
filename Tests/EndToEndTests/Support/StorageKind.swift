import Foundation
import PostgreSQLFixture
import TestSupport
import Testing

/// Where an instance keeps its record. What merchants and providers see must be the same.
enum StorageKind: String, CaseIterable, CustomTestStringConvertible {
    case journal, database

    /// Both; without PostgreSQL only the journal.
    static let all: [StorageKind] =
        PostgreSQLServer.isInstalled ? [.journal, .database] : [.journal]

    var testDescription: String { rawValue }
}

/// A database that instances share.
struct SharedDatabase {
    let server: PostgreSQLServer
    let name: String

    /// A new one without tables.
    init(on server: PostgreSQLServer? = nil) throws {
        self.server = try server ?? .common()
        name = try self.server.newDatabase()
    }

    var connection: String { server.string(database: name) }

    /// What stands in a configuration in the journal's place.
    static let section = "database: {connection: {file: secrets/database}}"

    /// Makes the tables.
    func install(_ configurationFile: String) throws {
        let made = try run(
            Binary.ipnd, ["database", "init", "--config", configurationFile])
        try #require(made.status == 0, "\(made.errors)")
    }

    /// Lets the time of all leases be over that an instance had when it was killed.
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
