import Platform
import PostgreSQL
import PostgreSQLFixture
import PostgreSQLStore
import TestSupport
import Testing

@testable import Delivery

/// The databases that can keep a state. Both must behave alike.
enum StateKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgresql

    /// Both; only SQLite if PostgreSQL is not installed.
    static let all: [StateKind] = PostgreSQLServer.isInstalled ? [.sqlite, .postgresql] : [.sqlite]

    var testDescription: String { rawValue }
}

/// An SQLite folder or a PostgreSQL database for one test. It outlives the state.
final class StateFixture {
    let kind: StateKind
    let server: PostgreSQLServer?
    let name: String
    /// The store that the database holds; any for SQLite.
    let store: String
    /// The processes' clock, which the test moves; the server has its own.
    let clock = ManualClock()
    private let folder = TemporaryFolder()

    /// Longer than any test moves the clock, except those that let a lease expire.
    static let leaseSeconds = 1_000_000

    /// Long timeouts: a session that waits must still wait after the machine has stalled for
    /// seconds.
    private static let settings = {
        var settings = SessionSettings(schema: "ipnd")
        settings.connectSecondsMax = 100_000_000
        settings.statementSecondsMax = 1_000_000
        settings.lockSecondsMax = 60
        settings.idleInTransactionSecondsMax = 60
        return settings
    }()

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
            try ConnectionString(server.string(database: name)), Self.settings,
            clock: SystemClock())
        _ = try SchemaInstaller(connection, schema: "ipnd").run()
        store = try server.psql("SELECT store FROM ipnd.meta", database: name)
    }

    /// Opens the state like a process that starts now.
    func open(
        label: String = "test:1", leaseSeconds: Int = StateFixture.leaseSeconds
    ) throws -> any DeliveryState {
        switch kind {
        case .sqlite: return try SQLiteDeliveryState.open(directory: folder.path).state
        case .postgresql:
            let text = try ConnectionString(server?.string(database: name) ?? "")
            return PostgreSQLDeliveryState(
                LinkSource(text, Self.settings, clock: clock), label: label,
                leaseSeconds: leaseSeconds, secondsMax: 100_000_000, clock: clock)
        }
    }

    /// Begins a transaction, runs the commands and leaves it open.
    func begin(_ commands: String...) throws -> PostgresConnection {
        let connection = try PostgresConnection.connect(
            try ConnectionString(server?.string(database: name) ?? ""), Self.settings,
            clock: SystemClock())
        let soon = connection.clock.now.advanced(seconds: 60)
        _ = try connection.run((["BEGIN"] + commands).map { Command($0) }, until: soon)
        return connection
    }

    /// Waits until a session waits for a lock in this database; false if none does.
    func comesToALock() async throws -> Bool {
        try await eventuallyYielding {
            try psql(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                    + "AND datname = '\(name)'") != "0"
        }
    }

    /// Runs SQL in the schema; returns the output.
    @discardableResult
    func psql(_ sql: String) throws -> String {
        try server?.psql("SET search_path = ipnd; \(sql)", database: name) ?? ""
    }
}

extension PostgresConnection {
    /// Commits the transaction of `StateFixture.begin`.
    func commit() throws {
        _ = try run(Command("COMMIT"), until: clock.now.advanced(seconds: 60))
        close()
    }
}

extension DeliveryState {
    /// Opens the destination without a handler for changes.
    func open(
        _ destination: DeliveryDestination, store: String, newest: UInt64 = 0
    ) async throws(DeliveryStateFailure) -> OpenedDelivery? {
        try await open(destination, store: store, newest: newest) {}
    }
}

extension FeedEvent {
    /// An event of an order.
    static func sample(_ sequence: UInt64, _ reference: String = "R-1") throws -> FeedEvent {
        guard let event = try FeedEvent(MemoryRecords.record(sequence, reference, "paid")) else {
            throw DeliveryStateFailure.unavailable("not a record with an order")
        }
        return event
    }
}
