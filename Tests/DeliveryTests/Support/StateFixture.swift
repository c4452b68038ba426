import Foundation
import PostgreSQL
import PostgreSQLFixture
import PostgreSQLStore
import TestSupport
import Testing

@testable import Delivery

/// Where a state is kept. What delivery sees of it must be the same.
enum StateKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgresql

    /// Both; without PostgreSQL only SQLite.
    static let all: [StateKind] = PostgreSQLServer.isInstalled ? [.sqlite, .postgresql] : [.sqlite]

    var testDescription: String { rawValue }
}

/// A place for the state of a test's own, which outlives the state.
final class StateFixture {
    let kind: StateKind
    let server: PostgreSQLServer?
    let name: String
    /// Which store the database holds; of SQLite any will do.
    let store: String
    private let folder = TemporaryFolder()

    init(_ kind: StateKind, on server: PostgreSQLServer? = nil) throws {
        self.kind = kind
        guard kind == .postgresql else {
            self.server = nil
            name = ""
            store = String(repeating: "1", count: 32)
            return
        }
        let server = try server ?? .common()
        self.server = server
        name = try server.newDatabase()
        let connection = try PostgresConnection.connect(
            try ConnectionString(server.string(database: name)), SessionSettings(schema: "ipnd"))
        _ = try SchemaInstaller(connection, schema: "ipnd").run()
        store = try server.psql("SELECT store FROM ipnd.meta", database: name)
    }

    /// The state as a process that starts now finds it.
    func open(label: String = "test:1", leaseSeconds: Int = 3600) throws -> any DeliveryState {
        switch kind {
        case .sqlite: return try SQLiteDeliveryState.open(directory: folder.path).state
        case .postgresql:
            let text = try ConnectionString(server?.string(database: name) ?? "")
            return PostgreSQLDeliveryState(
                LinkSource(text, SessionSettings(schema: "ipnd")), label: label,
                leaseSeconds: leaseSeconds, secondsMax: 5)
        }
    }

    /// What SQL prints, in the schema.
    @discardableResult
    func psql(_ sql: String) throws -> String {
        try server?.psql("SET search_path = ipnd; \(sql)", database: name) ?? ""
    }
}

extension DeliveryState {
    /// Without a need to hear of changes.
    func open(
        _ destination: Destination, store: String
    ) async throws(DeliveryStateFailure) -> OpenedDelivery? {
        try await open(destination, store: store) {}
    }
}

extension FeedEvent {
    /// One of an order's.
    static func sample(_ sequence: UInt64, _ reference: String = "R-1") throws -> FeedEvent {
        guard let event = try FeedEvent(MemoryRecords.record(sequence, reference, "paid")) else {
            throw DeliveryStateFailure.unavailable("not a record with an order")
        }
        return event
    }
}

/// Waits for what other tasks, processes and instances do.
func becomes(
    within seconds: Double = 60, _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end {
        if try await condition() { return true }
        await Task.yield()
    }
    return try await condition()
}
