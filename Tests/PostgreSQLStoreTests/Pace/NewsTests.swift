import DatabaseSimulation
import Platform
import PostgreSQL
import Store
import Synchronization
import Testing

@testable import PostgreSQLStore

/// What other instances' readers are told of, on a simulated database.
@Suite struct NewsTests {
    /// Batches of a burst tell nobody but for the first; what they are owed comes with time, or
    /// before the end.
    @Test(.timeLimit(.minutes(2)), arguments: [false, true])
    func theLastBatchOfABurstIsToldOf(atTheEnd: Bool) async throws {
        let database = SimulatedDatabase()
        let other = try database.source(1).open()
        let patience = MonotonicTime.now().advanced(seconds: 60)
        _ = try other.run(Command("LISTEN \"ipnd\""), until: patience)
        var environment = DatabaseEnvironment()
        // Time stands still: only the first batch is told of with its commit.
        let clock = Mutex(MonotonicTime.now())
        environment.now = { clock.withLock { $0 } }
        var options = DatabaseOptions()
        options.followsOthers = false
        let store = PostgreSQLStore(
            database.source(0), options: options, environment: environment)
        #expect(await store.record(.sample("A")).outcome == .recorded(1))
        #expect(try other.awaitNotification(until: patience))
        #expect(await store.record(.sample("B")).outcome == .recorded(2))
        if !atTheEnd {
            clock.withLock { $0 = $0.advanced(nanoseconds: NewsSpacing.nanosecondsMin) }
            #expect(try other.awaitNotification(until: patience))
        }
        await store.close()
        if atTheEnd { #expect(try other.awaitNotification(until: patience)) }
        #expect(database.unknownStatements.isEmpty)
    }

    /// Keys of contradictions are looked up when a decision asks for them only: in the same batch
    /// and in another instance's the answer is the same.
    @Test(.timeLimit(.minutes(2))) func contradictionsAreKnownAgain() async throws {
        let database = SimulatedDatabase()
        let stores = [0, 2].map { PostgreSQLStore(database.source($0)) }
        #expect(await stores[0].record(.sample("A")).outcome == .recorded(1))
        #expect(await stores[1].record(.sample("A", minor: 1)).outcome == .conflict(2))
        #expect(await stores[0].record(.sample("A", minor: 1)).outcome == .duplicate(of: 2))
        #expect(await stores[1].record(.sample("A", minor: 1)).outcome == .duplicate(of: 2))
        #expect(await stores[0].record(.sample("A", minor: 2)).outcome == .conflict(3))
        #expect(await stores[1].record(.sample("A")).outcome == .duplicate(of: 1))
        for store in stores { await store.close() }
        #expect(database.unknownStatements.isEmpty)
    }
}
