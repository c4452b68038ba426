import Platform
import PostgreSQL
import PostgreSQLFixture
import Store
import StoreConformance
import Testing

@testable import PostgreSQLStore

/// The promises of every store, on a database.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct ConformanceTests {
    @Test(arguments: StoreCheck.all)
    func `it keeps the promise`(_ check: StoreCheck) async throws {
        let database = try Database()
        try database.install()
        let string = try ConnectionString(database.server.string(database: database.name))
        try await check.run {
            let store = PostgreSQLStore(
                string, database.settings, options: StoreFixture.patientOptions,
                clock: SystemClock())
            // Records of earlier instances count as durable once they are confirmed.
            #expect(await store.confirm())
            return store
        }
    }
}
