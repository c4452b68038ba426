import DatabaseSimulation
import Platform
import PostgreSQL
import PostgreSQLFixture
import Store
import Testing

@testable import PostgreSQLStore

/// The simulation answers as PostgreSQL does: the same histories give the same receipts, records
/// and orders over both.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct AgreementTests {
    private struct Told: Equatable {
        var receipts: [Receipt] = []
        var records: [[UInt8]] = []
        var orders: [String: OrderView] = [:]
    }

    @Test(arguments: 1...6)
    func `a history gives the same over both`(seed: UInt64) async throws {
        let history = History(seed: seed)
        let database = try Database()
        try database.install()
        let string = try ConnectionString(database.server.string(database: database.name))
        let real = try await tell(
            history, LinkSource(string, database.settings, clock: SystemClock()))
        let simulated = try await tell(history, SimulatedDatabase(clock: SystemClock()).source(0))
        #expect(real == simulated)
        #expect(!real.records.isEmpty)
    }

    private func tell(_ history: History, _ source: LinkSource) async throws -> Told {
        let store = PostgreSQLStore(
            source, options: StoreFixture.patientOptions,
            environment: DatabaseEnvironment(clock: SystemClock()))
        var told = Told()
        for note in history.rounds.flatMap({ $0.flatMap(\.self) }) {
            told.receipts.append(await store.record(history.submission(note)))
        }
        let records = store.records
        let last = try await records.lastSequence(expecting: 1)
        told.records = try await records.page(
            after: 0, through: last, limit: 1000, bytesMax: 1 << 20
        ).records.map(\.bytes)
        for reference in Set(history.notes.compactMap(\.reference)) {
            told.orders[reference] = try await store.order(endpoint: "shop", reference: reference)
        }
        await store.close()
        return told
    }
}
