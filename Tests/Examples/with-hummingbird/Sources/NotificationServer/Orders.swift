import Foundation
import GRDB
import Hummingbird
import PaymentNotifications

/// The orders, each with the facts of all its notifications.
struct Orders: Sendable {
    private let database: DatabaseQueue

    init(file: String) throws {
        database = try DatabaseQueue(path: file)
        try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS seen (endpoint text, id text, reference text,
                      content blob, PRIMARY KEY (endpoint, id, reference, content));
                    CREATE TABLE IF NOT EXISTS orders (endpoint text, name text, facts blob,
                      PRIMARY KEY (endpoint, name));
                    CREATE TABLE IF NOT EXISTS ids (endpoint text, id text, name text,
                      PRIMARY KEY (endpoint, id));
                    """)
        }
    }

    /// Adds a notification to its order, in one transaction. It may come in any order and again.
    func record(_ notification: PaymentNotification, of endpoint: String) async throws -> String {
        try await database.write { database in
            let key = [endpoint, notification.id, notification.reference ?? ""]
            let isKnown =
                try Row.fetchOne(
                    database,
                    sql: "SELECT 1 FROM seen WHERE endpoint = ? AND id = ? AND reference = ?",
                    arguments: StatementArguments(key)) != nil
            try database.execute(
                sql: "INSERT INTO seen VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                arguments: StatementArguments(key) + [Data(notification.contentBytes)])
            if database.changesCount == 0 { return "duplicate" }
            if case .none = notification.effect { return "ignored" }

            var ids = [notification.transaction, notification.effect.id].compactMap(\.self)
            let found = try ids.compactMap { id in
                try String.fetchOne(
                    database, sql: "SELECT name FROM ids WHERE endpoint = ? AND id = ?",
                    arguments: [endpoint, id])
            }.first
            // Without a reference, an event is of the order that its payment's id leads to.
            let name = notification.reference ?? found ?? "~\(ids.first ?? notification.id)"
            var order = try Self.order(endpoint, name, database) ?? Order()
            if let found, found != name, found.hasPrefix("~") {
                // Events that came before the payment's own, which has the reference.
                let early = try Self.order(endpoint, found, database) ?? Order()
                order = order.merging(early)
                try database.execute(
                    sql: "DELETE FROM orders WHERE endpoint = ? AND name = ?",
                    arguments: [endpoint, found])
                ids += early.ids
            }
            order.apply(notification)
            if isKnown { order = order.markingConflict() }
            try database.execute(
                sql: "INSERT OR REPLACE INTO orders VALUES (?, ?, ?)",
                arguments: [endpoint, name, Data(order.encoded())])
            for id in ids {
                try database.execute(
                    sql: "INSERT OR REPLACE INTO ids VALUES (?, ?, ?)",
                    arguments: [endpoint, id, name])
            }
            return isKnown ? "conflict" : "recorded"
        }
    }

    /// The status and the sums of an order, as text.
    func description(_ endpoint: String, _ name: String) async throws -> String {
        let order = try await database.read { try Self.order(endpoint, name, $0) }
        guard let summary = order?.summary else { throw HTTPError(.notFound) }
        func text(_ sum: Money?) -> String { sum.map { "\($0)" } ?? "unknown" }
        let flags = summary.flags.map(\.rawValue).joined(separator: " ")
        return "\(summary.status.rawValue) captured \(text(summary.captured)) "
            + "refunded \(text(summary.refunded)) flags [\(flags)]\n"
    }

    private static func order(
        _ endpoint: String, _ name: String, _ database: Database
    ) throws -> Order? {
        let facts = try Data.fetchOne(
            database, sql: "SELECT facts FROM orders WHERE endpoint = ? AND name = ?",
            arguments: [endpoint, name])
        guard let facts else { return nil }
        guard let order = Order(encoded: [UInt8](facts)) else {
            throw Failure("the facts of \(name) are damaged")
        }
        return order
    }
}
