import PostgreSQL
import PostgreSQLFixture
import Store
import TestSupport
import Testing

@testable import PostgreSQLStore

/// What can go wrong around a commit, each with the answer that the sender gets.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct CommitTrapTests {
    private let clock = ManualClock()

    /// How long a batch or a request may take, by a clock that stands still.
    private static let seconds = 1000

    /// - Parameter batchSeconds: More than any test takes, where only requests run out of time.
    private func fixtureInTime(
        isDown: Bool = false, batchSeconds: Int = seconds
    ) throws -> StoreFixture {
        try StoreFixture(isDown: isDown, clock: clock) {
            $0.batchSecondsMax = batchSeconds
            $0.requestSecondsMax = Self.seconds
        }
    }

    /// What `waiting` gives when its time is up. The clock goes on until then: what waits may have
    /// begun to only just now.
    private func late<Value: Sendable>(_ waiting: Task<Value, Never>) async -> Value {
        await clock.ticking(milliseconds: Self.seconds * 1000) { await waiting.value }
    }

    /// Records it while the clock goes on: the store may have to wait for its connection.
    private func record(_ name: String, _ fixture: StoreFixture) async -> Receipt {
        await clock.ticking { await fixture.store.record(.sample(name)) }
    }

    @Test(arguments: [FaultyLink.Fault.loseCommit, .cutLoading])
    func aBatchThatDidNotReachTheServerIsRunAgain(fault: FaultyLink.Fault) async throws {
        let fixture = try StoreFixture()
        fixture.link.set(fault)
        #expect(await fixture.store.record(.sample("A")).outcome == .recorded(1))
        #expect(fixture.link.faultsDone == 1)
        #expect(fixture.link.connections >= 2)
        #expect(try fixture.sequences() == "1")
    }

    @Test func aCommitWhoseAnswerIsLostCountsOnce() async throws {
        let fixture = try StoreFixture()
        fixture.link.set(.loseAnswer)
        #expect(await fixture.store.record(.sample("A")).outcome == .duplicate(of: 1))
        #expect(fixture.link.faultsDone == 1)
        #expect(try fixture.sequences() == "1")
        #expect(try fixture.database.psql("SELECT status FROM orders") == "paid")
    }

    @Test func aCommitThatIsNeverAnsweredIsGivenUpAndRunAgain() async throws {
        let fixture = try StoreFixture(clock: clock) {
            $0.batchSecondsMax = Self.seconds
            $0.requestSecondsMax = 10 * Self.seconds
        }
        fixture.link.set(.swallowAnswer)
        let receipt = Task { await fixture.store.record(.sample("A")) }
        #expect(try await clock.ticks { try fixture.sequences() == "1" })
        // The answer never comes, and the batch's time is up.
        #expect(await clock.ticks(milliseconds: 10_000) { !fixture.told.isEmpty })
        // And so may be that of a connection which was being opened.
        let outcome = await clock.ticking(milliseconds: 1000) { await receipt.value.outcome }
        #expect(outcome == .duplicate(of: 1))
        #expect(try fixture.sequences() == "1")
        #expect(fixture.told.contains { $0.reason == "database_commit_unknown" })
    }

    @Test func whereTheTimeIsUpTheAnswerIs503() async throws {
        let fixture = try fixtureInTime()
        _ = await record("A", fixture)
        fixture.link.set(.swallowAnswer)
        let receipt = Task { await fixture.store.record(.sample("B")) }
        #expect(try await clock.ticks { try fixture.sequences() == "1 2" })
        #expect(await late(receipt).outcome == .refused(.databaseUnavailable))
        // The provider sends again, and it counts once; refused until the store has a connection.
        #expect(
            await eventuallyYielding {
                await record("B", fixture).outcome == .duplicate(of: 2)
            })
    }

    @Test func aDatabaseThatIsAwayAtTheStartIsFoundWhenItComes() async throws {
        let fixture = try fixtureInTime(isDown: true)
        let refused = Task { await fixture.store.record(.sample("A")) }
        #expect(await clock.ticks { fixture.store.health.reason == "database_unreachable" })
        #expect(await late(refused).outcome == .refused(.databaseUnavailable))
        // Nobody waits any more, and nothing is told again: the clock stands still.
        for _ in 0..<5 {
            let again = await fixture.store.record(.sample("A"))
            #expect(again.outcome == .refused(.databaseUnavailable))
        }
        #expect(fixture.told.count == 1)
        fixture.link.setDown(false)
        #expect(await clock.ticks { fixture.store.health.reason == nil })
        #expect(await record("A", fixture).outcome == .recorded(1))
        #expect(fixture.told.count == 2)
    }

    @Test func whileItIsAwayForAMomentRequestsWait() async throws {
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

    @Test func aReadOnlyServerIsNotWrittenToAndIsLeftForAWritableOne() async throws {
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

    @Test func tablesOfAnotherVersionAreNotWrittenTo() async throws {
        let fixture = try fixtureInTime(batchSeconds: 1_000_000_000)
        _ = await record("A", fixture)
        try fixture.database.psql("UPDATE meta SET version = 99")
        await refuse(fixture, "database_version")
        #expect(try fixture.sequences() == "1")
        #expect(fixture.told.contains { $0.reason == "database_version" })
    }

    @Test func anotherDatabaseInItsPlaceIsNotWrittenTo() async throws {
        let fixture = try fixtureInTime(batchSeconds: 1_000_000_000)
        _ = await record("A", fixture)
        try fixture.database.psql("UPDATE meta SET store = repeat('a', 32)")
        fixture.link.setDown(true)
        fixture.link.setDown(false)
        await refuse(fixture, "database_replaced")
        #expect(try fixture.sequences() == "1")
    }
}

extension DatabaseHealth.News {
    var reason: String? {
        if case .away(let reason, _) = self { return reason }
        return nil
    }
}
