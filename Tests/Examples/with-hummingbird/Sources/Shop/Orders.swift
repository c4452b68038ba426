import Foundation
import GRDB

/// The shop's orders, and what was decided about them.
struct Orders: Sendable {
    private let database: DatabaseQueue

    init(file: String) throws {
        database = try DatabaseQueue(path: file)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS orders (endpoint text, reference text, total text,
                      PRIMARY KEY (endpoint, reference));
                    CREATE TABLE IF NOT EXISTS seen (id text PRIMARY KEY);
                    CREATE TABLE IF NOT EXISTS decisions (endpoint text, name text, action text,
                      why text, store text, sequence integer, shipped boolean DEFAULT false,
                      PRIMARY KEY (endpoint, name));
                    """)
        }
    }

    /// Returns false if there is such an order with another total.
    func add(_ endpoint: String, _ reference: String, total: String) async throws -> Bool {
        try await database.write {
            try $0.execute(
                sql: "INSERT INTO orders VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: [endpoint, reference, total])
        }
        return try await self.total(endpoint, reference) == total
    }

    func total(_ endpoint: String, _ reference: String) async throws -> String? {
        try await database.read {
            try String.fetchOne(
                $0, sql: "SELECT total FROM orders WHERE endpoint = ? AND reference = ?",
                arguments: [endpoint, reference])
        }
    }

    /// One transaction: the webhook's id, and the decision. An event that comes twice changes
    /// nothing, and one that comes late replaces no later one.
    func apply(_ id: String, _ event: Event, _ effect: Effect?) async throws {
        try await database.write { database in
            try database.execute(
                sql: "INSERT INTO seen VALUES (?) ON CONFLICT DO NOTHING", arguments: [id])
            guard database.changesCount == 1, let effect else { return }
            try database.execute(
                sql: """
                    INSERT INTO decisions (endpoint, name, action, why, store, sequence)
                      VALUES (?, ?, ?, ?, ?, ?)
                      ON CONFLICT (endpoint, name) DO UPDATE SET action = excluded.action,
                        why = excluded.why, store = excluded.store, sequence = excluded.sequence
                      WHERE store <> excluded.store OR sequence < excluded.sequence
                    """,
                arguments: [
                    effect.endpoint, effect.name, effect.action, effect.why,
                    String(id.prefix { $0 != "-" }), event.sequence,
                ])
        }
    }

    struct Decision: Codable, FetchableRecord, Sendable {
        var endpoint, name, action, why: String
        var shipped: Bool
    }

    func decisions() async throws -> [Decision] {
        try await database.read {
            try Decision.fetchAll($0, sql: "SELECT * FROM decisions ORDER BY endpoint, name")
        }
    }

    /// Marks an order as shipped before it is. Returns false if something has changed since.
    func mark(_ decision: Decision) async throws -> Bool {
        try await database.write {
            try $0.execute(
                sql: """
                    UPDATE decisions SET shipped = true
                    WHERE endpoint = ? AND name = ? AND action = 'ship' AND NOT shipped
                    """,
                arguments: [decision.endpoint, decision.name])
            return $0.changesCount == 1
        }
    }
}
