import PostgreSQL
import PostgreSQLFixture
import Store
import TestSupport
import Testing

@testable import PostgreSQLStore

/// The failures around a commit, each with the answer that the sender gets.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct CommitTrapTests {
    private let clock = ManualClock()

    /// Time limit of a batch or a request, by a clock that only the test moves.
    private static let seconds = 1000

    /// - Parameter batchSeconds: Longer than any test takes, if only requests are to run out of
    ///   time.
    private func fixtureInTime(
        isDown: Bool = false, batchSeconds: Int = seconds
    ) throws -> StoreFixture {
        try StoreFixture(isDown: isDown, clock: clock) {
            $0.batchSecondsMax = batchSeconds
            $0.requestSecondsMax = Self.seconds
        }
    }

    /// The result of `waiting` after its time is up. The clock advances until then, because the
    /// wait may have begun only just now.
    private func late<Value: Sendable>(_ waiting: Task<Value, Never>) async -> Value {
        await clock.ticking(milliseconds: Self.seconds * 1000) { await waiting.value }
    }

    /// Records it while the clock advances: the store may have to wait for its connection.
    private func record(_ name: String, _ fixture: StoreFixture) async -> Receipt {
        await clock.ticking { await fixture.store.record(.sample(name)) }
    }

    @Test(arguments: [FaultyLink.Fault.loseCommit, .cutLoading])
    func `a batch that did not reach the server is run again`(fault: FaultyLink.Fault) async throws
    {
        let fixture = try StoreFixture()
        fixture.link.set(fault)
        #expect(await fixture.store.record(.sample("A")).outcome == .recorded(1))
        #expect(fixture.link.faultsDone == 1)
        #expect(fixture.link.connections >= 2)
        #expect(try fixture.sequences() == "1")
    }

    @Test func `a commit whose answer is lost counts once`() async throws {
        let fixture = try StoreFixture()
        fixture.link.set(.loseAnswer)
        #expect(await fixture.store.record(.sample("A")).outcome == .duplicate(of: 1))
        #expect(fixture.link.faultsDone == 1)
        #expect(try fixture.sequences() == "1")
        #expect(try fixture.database.psql("SELECT status FROM orders") == "paid")
    }

    @Test func `a commit that is never answered is given up and run again`() async throws {
        let fixture = try StoreFixture(clock: clock) {
            $0.batchSecondsMax = Self.seconds
            $0.requestSecondsMax = 10 * Self.seconds
        }
        fixture.link.set(.swallowAnswer)
        let receipt = Task { await fixture.store.record(.sample("A")) }
        #expect(try await clock.ticks { try fixture.sequences() == "1" })
        // The answer never arrives, and the batch's time is up.
        #expect(await clock.ticks(milliseconds: 10_000) { !fixture.changes.isEmpty })
        // The time of a connection that was being opened may also be up.
        let outcome = await clock.ticking(milliseconds: 1000) { await receipt.value.outcome }
        #expect(outcome == .duplicate(of: 1))
        #expect(try fixture.sequences() == "1")
        #expect(fixture.changes.contains { $0.reason == "database_commit_unknown" })
    }

    @Test func `where the time is up the answer is 503`() async throws {
        let fixture = try fixtureInTime()
        _ = await record("A", fixture)
        fixture.link.set(.swallowAnswer)
        let receipt = Task { await fixture.store.record(.sample("B")) }
        #expect(try await clock.ticks { try fixture.sequences() == "1 2" })
        #expect(await late(receipt).outcome == .refused(.databaseUnavailable))
        // The provider sends again, and it counts once; it is refused until the store has a
        // connection.
        #expect(
            await eventuallyYielding {
                await record("B", fixture).outcome == .duplicate(of: 2)
            })
    }

    @Test func `a database that is away at the start is found when it comes`() async throws {
        let fixture = try fixtureInTime(isDown: true)
        let refused = Task { await fixture.store.record(.sample("A")) }
        #expect(await clock.ticks { fixture.store.health.reason == "database_unreachable" })
        #expect(await late(refused).outcome == .refused(.databaseUnavailable))
        // No request waits any more, and no further change is reported: the clock is stopped.
        for _ in 0..<5 {
            let again = await fixture.store.record(.sample("A"))
            #expect(again.outcome == .refused(.databaseUnavailable))
        }
        #expect(fixture.changes.count == 1)
        fixture.link.setDown(false)
        #expect(await clock.ticks { fixture.store.health.reason == nil })
        #expect(await record("A", fixture).outcome == .recorded(1))
        #expect(fixture.changes.count == 2)
    }

    @Test func `while it is away for a moment requests wait`() async throws {
        let fixture = try StoreFixture()
        _ = await fixture.store.record(.sample("A"))
        fixture.link.setDown(true)
        async let receipt = fixture.store.record(.sample("B"))
        #expect(await eventuallyYielding { fixture.store.health.reason != nil })
        fixture.link.setDown(false)
        #expect(await receipt.outcome == .recorded(2))
    }

    /// Records B, which is refused when its time is up, after the database was given up for this
    /// reason.
    private func refuse(_ fixture: StoreFixture, _ reason: String) async {
        let refused = Task { await fixture.store.record(.sample("B")) }
        #expect(await clock.ticks { fixture.store.health.reason == reason })
        #expect(await late(refused).outcome == .refused(.databaseUnavailable))
    }

    @Test func `a read-only server is not written to and is left for a writable one`() async throws
    {
        let fixture = try fixtureInTime(batchSeconds: 1_000_000_000)
        _ = await record("A", fixture)
        let name = fixture.database.name
        try fixture.database.psql("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        fixture.link.setDown(true)
        fixture.link.setDown(false)
        await refuse(fixture, "database_read_only")
        try fixture.database.server.psql(
            "SET default_transaction_read_only = off; "
                + "ALTER DATABASE \(name) RESET default_transaction_read_only",
            database: "postgres")
        #expect(await clock.ticks { fixture.store.health.reason == nil })
        #expect(await record("B", fixture).outcome == .recorded(2))
    }

    @Test func `tables of another version are not written to`() async throws {
        let fixture = try fixtureInTime(batchSeconds: 1_000_000_000)
        _ = await record("A", fixture)
        try fixture.database.psql("UPDATE meta SET version = 99")
        await refuse(fixture, "database_version")
        #expect(try fixture.sequences() == "1")
        #expect(fixture.changes.contains { $0.reason == "database_version" })
    }

    @Test func `another database in its place is not written to`() async throws {
        let fixture = try fixtureInTime(batchSeconds: 1_000_000_000)
        _ = await record("A", fixture)
        try fixture.database.psql("UPDATE meta SET store = repeat('a', 32)")
        fixture.link.setDown(true)
        fixture.link.setDown(false)
        await refuse(fixture, "database_replaced")
        #expect(try fixture.sequences() == "1")
    }
}

extension DatabaseHealth.Change {
    var reason: String? {
        if case .away(let reason, _) = self { return reason }
        return nil
    }
}
