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

    private func fixtureInTime(isDown: Bool = false) throws -> StoreFixture {
        try StoreFixture(isDown: isDown, clock: clock) {
            $0.batchSecondsMax = Self.seconds
            $0.requestSecondsMax = Self.seconds
        }
    }

    /// The time of everything that waits is up.
    private func letTimePass() { clock.advance(seconds: Double(Self.seconds)) }

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
        #expect(try await eventuallyYielding { try fixture.sequences() == "1" })
        letTimePass()
        #expect(await clock.ticks { !fixture.told.isEmpty })
        #expect(await clock.ticking { await receipt.value.outcome } == .duplicate(of: 1))
        #expect(try fixture.sequences() == "1")
        #expect(fixture.told.contains { $0.reason == "database_commit_unknown" })
    }

    @Test func whereTheTimeIsUpTheAnswerIs503() async throws {
        let fixture = try fixtureInTime()
        _ = await fixture.store.record(.sample("A"))
        fixture.link.set(.swallowAnswer)
        async let receipt = fixture.store.record(.sample("B"))
        #expect(try await eventuallyYielding { try fixture.sequences() == "1 2" })
        letTimePass()
        #expect(await receipt.outcome == .refused(.databaseUnavailable))
        // The provider sends again, and it counts once.
        let again = await clock.ticking { await fixture.store.record(.sample("B")) }
        #expect(again.outcome == .duplicate(of: 2))
    }

    @Test func aDatabaseThatIsAwayAtTheStartIsFoundWhenItComes() async throws {
        let fixture = try fixtureInTime(isDown: true)
        async let refused = fixture.store.record(.sample("A"))
        #expect(await clock.ticks { fixture.store.health.reason == "database_unreachable" })
        letTimePass()
        #expect(await refused.outcome == .refused(.databaseUnavailable))
        // Nobody waits any more, and nothing is told again.
        for _ in 0..<5 {
            let again = await fixture.store.record(.sample("A"))
            #expect(again.outcome == .refused(.databaseUnavailable))
        }
        #expect(fixture.told.count == 1)
        fixture.link.setDown(false)
        #expect(await clock.ticks { fixture.store.health.reason == nil })
        let recorded = await clock.ticking { await fixture.store.record(.sample("A")) }
        #expect(recorded.outcome == .recorded(1))
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
        async let refused = fixture.store.record(.sample("B"))
        #expect(await clock.ticks { fixture.store.health.reason == reason })
        letTimePass()
        #expect(await refused.outcome == .refused(.databaseUnavailable))
    }

    @Test func aReadOnlyServerIsNotWrittenToAndIsLeftForAWritableOne() async throws {
        let fixture = try fixtureInTime()
        _ = await fixture.store.record(.sample("A"))
        let name = fixture.database.name
        try fixture.database.psql("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        fixture.link.setDown(true)
        fixture.link.setDown(false)
        await refuse(fixture, "database_read_only")
        #expect(fixture.store.health.reason == "database_read_only")
        try fixture.database.server.psql(
            "SET default_transaction_read_only = off; "
                + "ALTER DATABASE \(name) RESET default_transaction_read_only",
            database: "postgres")
        #expect(await clock.ticks { fixture.store.health.reason == nil })
        let recorded = await clock.ticking { await fixture.store.record(.sample("B")) }
        #expect(recorded.outcome == .recorded(2))
    }

    @Test func tablesOfAnotherVersionAreNotWrittenTo() async throws {
        let fixture = try fixtureInTime()
        _ = await fixture.store.record(.sample("A"))
        try fixture.database.psql("UPDATE meta SET version = 99")
        await refuse(fixture, "database_version")
        #expect(try fixture.sequences() == "1")
        #expect(fixture.told.contains { $0.reason == "database_version" })
    }

    @Test func anotherDatabaseInItsPlaceIsNotWrittenTo() async throws {
        let fixture = try fixtureInTime()
        _ = await fixture.store.record(.sample("A"))
        try fixture.database.psql("UPDATE meta SET store = repeat('a', 32)")
        fixture.link.setDown(true)
        fixture.link.setDown(false)
        await refuse(fixture, "database_replaced")
        #expect(fixture.store.health.reason == "database_replaced")
        #expect(try fixture.sequences() == "1")
    }
}

extension DatabaseHealth.News {
    var reason: String? {
        if case .away(let reason, _) = self { return reason }
        return nil
    }
}
