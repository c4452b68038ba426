import Platform
import PostgreSQL
import PostgreSQLFixture
import Store
import Synchronization
import TestSupport

@testable import PostgreSQLStore

/// A store on a separate database, through a link that can fail.
final class StoreFixture: Sendable {
    let database: Database
    let link: FaultyLink
    let store: PostgreSQLStore
    let clock: any Clock
    private let box: ChangeBox

    /// The changes that were reported to an operator.
    var changes: [DatabaseHealth.Change] { box.all }

    /// - Parameters:
    ///   - server: A server other than the common one, for tests that change its settings.
    ///   - clock: The store's clock. If no time is to pass, the system's, with limits that no
    ///     machine reaches; otherwise one that the test moves.
    init(
        on server: PostgreSQLServer? = nil, installs: Bool = true, isDown: Bool = false,
        clock: any Clock = SystemClock(),
        _ change: (inout DatabaseOptions) -> Void = { _ in }
    ) throws {
        database = try server.map { try Database(on: $0) } ?? Database()
        if installs { try database.install() }
        link = try FaultyLink(
            server: "\(database.server.directory)/.s.PGSQL.\(database.server.port)")
        if isDown { link.setDown(true) }
        var options = Self.patientOptions
        // Its connection would meet the faults that are meant for the committer's.
        options.followsOthers = false
        change(&options)
        self.clock = clock
        let news = ChangeBox()
        store = PostgreSQLStore(
            try ConnectionString(
                "host=\(link.directory) user=postgres dbname=\(database.name)"),
            database.settings, options: options, clock: clock, report: { news.add($0) })
        box = news
    }

    /// Another instance on the same database.
    init(
        sharing other: StoreFixture, _ change: (inout DatabaseOptions) -> Void = { _ in }
    ) throws {
        database = other.database
        link = try FaultyLink(
            server: "\(database.server.directory)/.s.PGSQL.\(database.server.port)")
        let news = ChangeBox()
        var options = Self.patientOptions
        clock = other.clock
        options.followsOthers = false
        change(&options)
        store = PostgreSQLStore(
            try ConnectionString(
                "host=\(link.directory) user=postgres dbname=\(database.name)"),
            database.settings, options: options, clock: clock, report: { news.add($0) })
        box = news
    }

    static let patientOptions = {
        var options = DatabaseOptions()
        options.requestSecondsMax = 600
        options.batchSecondsMax = 600
        options.readSecondsMax = 600
        return options
    }()

    deinit {
        store.beginClosing()
        link.stop()
    }

    /// A separate reader through the same link.
    func reader(clock: any Clock, secondsMax: Int = 600) throws -> DatabaseReader {
        let text = "host=\(link.directory) user=postgres dbname=\(database.name)"
        return DatabaseReader(
            LinkSource(try ConnectionString(text), database.settings, clock: clock),
            secondsMax: secondsMax, clock: clock)
    }

    func sequences() throws -> String {
        try database.psql("SELECT string_agg(sequence::text, ' ' ORDER BY sequence) FROM event")
    }
}

/// Collects the changes that were reported to an operator.
final class ChangeBox: Sendable {
    private let news = Mutex<[DatabaseHealth.Change]>([])
    var all: [DatabaseHealth.Change] { news.withLock { $0 } }
    func add(_ new: DatabaseHealth.Change) { news.withLock { $0.append(new) } }
}
