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
    private let box: NewsBox

    /// What an operator was told.
    var told: [DatabaseHealth.News] { box.all }

    /// - Parameter server: Not the common one, for tests that change its settings.
    init(
        on server: PostgreSQLServer? = nil, installs: Bool = true, isDown: Bool = false,
        _ change: (inout DatabaseOptions) -> Void = { _ in }
    ) throws {
        database = try server.map { try Database(on: $0) } ?? Database()
        if installs { try database.install() }
        link = try FaultyLink(
            server: "\(database.server.directory)/.s.PGSQL.\(database.server.port)")
        if isDown { link.setDown(true) }
        var options = DatabaseOptions()
        options.requestSecondsMax = 20
        // Its connection would meet the faults that are meant for the committer's.
        options.followsOthers = false
        change(&options)
        let news = NewsBox()
        store = PostgreSQLStore(
            try ConnectionString(
                "host=\(link.directory) user=postgres dbname=\(database.name)"),
            database.settings, options: options, tell: { news.add($0) })
        box = news
    }

    /// Another instance on the same database.
    init(sharing other: StoreFixture) throws {
        database = other.database
        link = try FaultyLink(
            server: "\(database.server.directory)/.s.PGSQL.\(database.server.port)")
        let news = NewsBox()
        var options = DatabaseOptions()
        options.followsOthers = false
        store = PostgreSQLStore(
            try ConnectionString(
                "host=\(link.directory) user=postgres dbname=\(database.name)"),
            database.settings, options: options, tell: { news.add($0) })
        box = news
    }

    deinit {
        store.beginClosing()
        link.stop()
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

/// Whether a condition comes true within the tests' patience.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
    try await eventuallyYielding(60, condition)
}
