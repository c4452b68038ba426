import PostgreSQL
import PostgreSQLFixture
import Store
import StoreConformance
import Testing

@testable import PostgreSQLStore

/// What every store promises, on a database.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct ConformanceTests {
    @Test(arguments: StoreCheck.all)
    func itKeepsThePromise(_ check: StoreCheck) async throws {
        let database = try Database()
        try database.install()
        try await check.run { try await ReadableStore(database) }
    }
}

/// A store with a reader beside it, as one that is both.
private final class ReadableStore: Store {
    private let store: PostgreSQLStore
    private let reader: DatabaseReader

    init(_ database: Database) async throws {
        let string = try ConnectionString(database.server.string(database: database.name))
        store = PostgreSQLStore(string, database.settings)
        reader = DatabaseReader(string, database.settings, connectionsMax: 1)
        // What earlier instances recorded counts as durable once it is confirmed.
        #expect(await store.confirm())
    }

    var commitFeed: CommitFeed { store.commitFeed }

    func record(_ submission: consuming Submission) async -> Receipt {
        await store.record(submission)
    }

    func register(_ registration: Registration) async -> Receipt {
        await store.register(registration)
    }

    func order(endpoint: String, reference: String) async -> OrderView? {
        try? await reader.order(.reference(endpoint: endpoint, reference))
    }

    func close() async {
        await store.close()
        reader.close()
    }
}
