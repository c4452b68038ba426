import DatabaseSimulation
import Platform
import StoreConformance
import Testing

@testable import PostgreSQLStore

/// What every store promises, on a simulated database: needs no PostgreSQL.
@Suite struct SimulatedConformanceTests {
    @Test(arguments: StoreCheck.all)
    func itKeepsThePromise(_ check: StoreCheck) async throws {
        let database = SimulatedDatabase(clock: SystemClock())
        try await check.run {
            let store = PostgreSQLStore(
                database.source(0), options: StoreFixture.patientOptions,
                environment: DatabaseEnvironment(clock: SystemClock()))
            // What earlier instances recorded counts as durable once it is confirmed.
            #expect(await store.confirm())
            return store
        }
        #expect(database.unknownStatements.isEmpty)
    }
}
