import Platform
import PostgreSQL
import PostgreSQLFixture
import Store
import Synchronization
import TestSupport

@testable import PostgreSQLStore

/// A store on a database of its own, through a link that can fail.
final class StoreFixture: Sendable {
    let database: Database
    let link: FaultyLink
    let store: PostgreSQLStore
    let clock: any Clock
    private let box: NewsBox

    /// What an operator was told.
    var told: [DatabaseHealth.News] { box.all }

    /// - Parameters:
    ///   - server: Not the common one, for tests that change its settings.
    ///   - clock: The store's. Where no time is to pass, that of the system with limits which no
    ///     machine reaches; else one that the test moves.
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
        let news = NewsBox()
        store = PostgreSQLStore(
            try ConnectionString(
                "host=\(link.directory) user=postgres dbname=\(database.name)"),
            database.settings, options: options, clock: clock, tell: { news.add($0) })
        box = news
    }

    /// Another instance on the same database.
    init(sharing other: StoreFixture) throws {
        database = other.database
        link = try FaultyLink(
            server: "\(database.server.directory)/.s.PGSQL.\(database.server.port)")
        let news = NewsBox()
        var options = Self.patientOptions
        clock = other.clock
        options.followsOthers = false
        store = PostgreSQLStore(
            try ConnectionString(
                "host=\(link.directory) user=postgres dbname=\(database.name)"),
            database.settings, options: options, clock: clock, tell: { news.add($0) })
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

    /// A reader of its own behind the same link.
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

/// What an operator was told.
final class NewsBox: Sendable {
    private let news = Mutex<[DatabaseHealth.News]>([])
    var all: [DatabaseHealth.News] { news.withLock { $0 } }
    func add(_ new: DatabaseHealth.News) { news.withLock { $0.append(new) } }
}
