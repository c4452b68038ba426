import DatabaseSimulation
import Platform
import PostgreSQL
import Store
import TestSupport
import Testing

@testable import PostgreSQLStore

/// Notifications to the readers of other instances, on a simulated database.
@Suite struct NotifyTests {
    /// Only the first batch of a burst notifies; the pending notification follows after a time, or
    /// before the end.
    @Test(arguments: [false, true])
    func `the last batch of a burst is told of`(atTheEnd: Bool) async throws {
        // Time is stopped: only the first batch notifies with its commit.
        let clock = ManualClock()
        let database = SimulatedDatabase(clock: clock)
        let other = try database.source(1).open()
        func isReported() async throws -> Bool {
            try await eventuallyYielding { try other.awaitNotification(until: clock.now) }
        }
        let patience = clock.now.advanced(seconds: 60)
        _ = try other.run(Command("LISTEN \"ipnd\""), until: patience)
        var options = DatabaseOptions()
        options.followsOthers = false
        let store = PostgreSQLStore(
            database.source(0), options: options,
            environment: DatabaseEnvironment(clock: clock))
        #expect(await store.record(.sample("A")).outcome == .recorded(1))
        #expect(try await isReported())
        #expect(await store.record(.sample("B")).outcome == .recorded(2))
        if !atTheEnd {
            clock.advance(nanoseconds: NotifyThrottle.nanosecondsMin)
            #expect(try await isReported())
        }
        await store.close()
        if atTheEnd { #expect(try await isReported()) }
        #expect(database.unknownStatements.isEmpty)
    }

    /// Keys of contradictions are looked up only when a decision asks for them: the answer is the
    /// same in the same batch and in another instance.
    @Test func `contradictions are known again`() async throws {
        let clock = SystemClock()
        let database = SimulatedDatabase(clock: clock)
        let stores = [0, 2].map {
            PostgreSQLStore(
                database.source($0), options: StoreFixture.patientOptions,
                environment: DatabaseEnvironment(clock: clock))
        }
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
