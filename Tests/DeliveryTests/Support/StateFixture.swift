import Platform
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
    /// The processes' clock, which stands still until the test moves it; the server has its own.
    let clock = ManualClock()
    private let folder = TemporaryFolder()

    /// Longer than any test moves the clock by, but for those that let a lease expire.
    static let leaseSeconds = 1_000_000

    /// Patient ones: on a machine that stands still for seconds, what waits must still be waiting
    /// when it is looked at.
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

    /// The state as a process that starts now finds it.
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

    /// A transaction under way, in which the commands were run.
    func begin(_ commands: String...) throws -> PostgresConnection {
        let connection = try PostgresConnection.connect(
            try ConnectionString(server?.string(database: name) ?? ""), Self.settings,
            clock: SystemClock())
        let soon = connection.clock.now.advanced(seconds: 60)
        _ = try connection.run((["BEGIN"] + commands).map { Command($0) }, until: soon)
        return connection
    }

    /// Whether somebody comes to wait for a lock in this database.
    func comesToALock() async throws -> Bool {
        try await eventuallyYielding {
            try psql(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                    + "AND datname = '\(name)'") != "0"
        }
    }

    /// What SQL prints, in the schema.
    @discardableResult
    func psql(_ sql: String) throws -> String {
        try server?.psql("SET search_path = ipnd; \(sql)", database: name) ?? ""
    }
}

extension PostgresConnection {
    /// Commits what `StateFixture.begin` began.
    func commit() throws {
        _ = try run(Command("COMMIT"), until: clock.now.advanced(seconds: 60))
        close()
    }
}

extension DeliveryState {
    /// Without a need to hear of changes.
    func open(
        _ destination: DeliveryDestination, store: String
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
