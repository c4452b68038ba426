import DatabaseSimulation
import Platform
import StoreConformance
import Testing

@testable import PostgreSQLStore

/// The promises of every store, on a simulated database, without PostgreSQL.
@Suite struct SimulatedConformanceTests {
    @Test(arguments: StoreCheck.all)
    func `it keeps the promise`(_ check: StoreCheck) async throws {
        let database = SimulatedDatabase(clock: SystemClock())
        try await check.run {
            let store = PostgreSQLStore(
                database.source(0), options: StoreFixture.patientOptions,
                environment: DatabaseEnvironment(clock: SystemClock()))
            // Records of earlier instances count as durable once they are confirmed.
            #expect(await store.confirm())
            return store
        }
        #expect(database.unknownStatements.isEmpty)
    }
}
