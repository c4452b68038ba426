import PostgreSQL
import PostgreSQLFixture
import Store
import Testing

@testable import PostgreSQLStore

/// What can go wrong around a commit, each with the answer that the sender gets.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct CommitTrapTests {
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
        let fixture = try StoreFixture { $0.batchSecondsMax = 1 }
        fixture.link.set(.swallowAnswer)
        #expect(await fixture.store.record(.sample("A")).outcome == .duplicate(of: 1))
        #expect(try fixture.sequences() == "1")
        #expect(fixture.told.contains { $0.reason == "database_commit_unknown" })
    }

    @Test func whereTheTimeIsUpTheAnswerIs503() async throws {
        let fixture = try StoreFixture {
            $0.batchSecondsMax = 1
            $0.requestSecondsMax = 1
        }
        _ = await fixture.store.record(.sample("A"))
        fixture.link.set(.swallowAnswer)
        let receipt = await fixture.store.record(.sample("B"))
        #expect(receipt.outcome == .refused(.databaseUnavailable))
        // The provider sends again, and it counts once.
        let again = await fixture.store.record(.sample("B"))
        #expect(again.outcome == .duplicate(of: 2))
    }

    @Test func aDatabaseThatIsAwayAtTheStartIsFoundWhenItComes() async throws {
        let fixture = try StoreFixture(isDown: true) { $0.requestSecondsMax = 1 }
        let refused = await fixture.store.record(.sample("A"))
        #expect(refused.outcome == .refused(.databaseUnavailable))
        #expect(fixture.store.health.reason == "database_unreachable")
        // Nobody waits any more, and nothing is told again.
        for _ in 0..<5 { _ = await fixture.store.record(.sample("A")) }
        #expect(fixture.told.count == 1)
        fixture.link.setDown(false)
        #expect(await eventually { fixture.store.health.reason == nil })
        #expect(await fixture.store.record(.sample("A")).outcome == .recorded(1))
        #expect(fixture.told.count == 2)
    }

    @Test func whileItIsAwayForAMomentRequestsWait() async throws {
        let fixture = try StoreFixture()
        _ = await fixture.store.record(.sample("A"))
        fixture.link.setDown(true)
        async let receipt = fixture.store.record(.sample("B"))
        #expect(await eventually { fixture.store.health.reason != nil })
        fixture.link.setDown(false)
        #expect(await receipt.outcome == .recorded(2))
    }

    @Test func aReadOnlyServerIsNotWrittenToAndIsLeftForAWritableOne() async throws {
        let fixture = try StoreFixture { $0.requestSecondsMax = 2 }
        _ = await fixture.store.record(.sample("A"))
        let name = fixture.database.name
        try fixture.database.psql("ALTER DATABASE \(name) SET default_transaction_read_only = on")
        fixture.link.setDown(true)
        fixture.link.setDown(false)
        let refused = await fixture.store.record(.sample("B"))
        #expect(refused.outcome == .refused(.databaseUnavailable))
        #expect(fixture.store.health.reason == "database_read_only")
        try fixture.database.server.psql(
            "SET default_transaction_read_only = off; "
                + "ALTER DATABASE \(name) RESET default_transaction_read_only",
            database: "postgres")
        #expect(await eventually { fixture.store.health.reason == nil })
        #expect(await fixture.store.record(.sample("B")).outcome == .recorded(2))
    }

    @Test func tablesOfAnotherVersionAreNotWrittenTo() async throws {
        let fixture = try StoreFixture { $0.requestSecondsMax = 2 }
        _ = await fixture.store.record(.sample("A"))
        try fixture.database.psql("UPDATE meta SET version = 99")
        let refused = await fixture.store.record(.sample("B"))
        #expect(refused.outcome == .refused(.databaseUnavailable))
        #expect(try fixture.sequences() == "1")
        #expect(fixture.told.contains { $0.reason == "database_version" })
    }

    @Test func anotherDatabaseInItsPlaceIsNotWrittenTo() async throws {
        let fixture = try StoreFixture { $0.requestSecondsMax = 2 }
        _ = await fixture.store.record(.sample("A"))
        try fixture.database.psql("UPDATE meta SET store = repeat('a', 32)")
        fixture.link.setDown(true)
        fixture.link.setDown(false)
        let refused = await fixture.store.record(.sample("B"))
        #expect(refused.outcome == .refused(.databaseUnavailable))
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
