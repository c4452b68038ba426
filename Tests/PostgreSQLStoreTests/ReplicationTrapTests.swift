import PostgreSQL
import PostgreSQLFixture
import Store
import Testing

@testable import PostgreSQLStore

/// A server whose synchronous standby is away: every commit that wrote something waits for it. Each
/// test has one of its own, for the setting counts for all of a server.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"), .serialized)
struct ReplicationTrapTests {
    private let server: PostgreSQLServer
    private let fixture: StoreFixture

    init() throws {
        server = try PostgreSQLServer()
        fixture = try StoreFixture(on: server) {
            $0.batchSecondsMax = 1
            $0.requestSecondsMax = 3
        }
    }

    @Test func nothingIsAnsweredBeforeTheStandbyHoldsItAndNothingIsCancelled()
        async throws
    {
        _ = await fixture.store.record(.sample("A"))
        try fixture.database.setStandby("away")
        let refused = await fixture.store.record(.sample("B"))
        #expect(refused.outcome == .refused(.databaseUnavailable))
        #expect(
            try !fixture.database.waiting().isEmpty, "the commit still waits: nobody cancelled it")
        try fixture.database.setStandby("")
        #expect(await eventually { fixture.store.health.reason == nil })
        let again = await fixture.store.record(.sample("B"))
        #expect(again.outcome == .duplicate(of: 2))
        server.stop()
    }

    @Test func aDuplicateWaitsForTheStandbyToo() async throws {
        _ = await fixture.store.record(.sample("A"))
        try fixture.database.setStandby("away")
        let refused = await fixture.store.record(.sample("A"))
        #expect(refused.outcome == .refused(.databaseUnavailable))
        #expect(await fixture.store.confirm() == false)
        try fixture.database.setStandby("")
        #expect(await eventually { await fixture.store.confirm() })
        #expect(await fixture.store.record(.sample("A")).outcome == .duplicate(of: 1))
        server.stop()
    }

    /// What an operator does to a commit that hangs, and what it means.
    @Test(arguments: ["pg_cancel_backend", "pg_terminate_backend"])
    func aWaitThatSomebodyEndsIsNoSuccess(function: String) async throws {
        _ = await fixture.store.record(.sample("A"))
        try fixture.database.setStandby("away")
        async let receipt = fixture.store.record(.sample("B"))
        #expect(try await eventually { try !fixture.database.waiting().isEmpty })
        for process in try fixture.database.waiting() {
            try server.psql("SELECT \(function)(\(process))")
        }
        #expect(await eventually { !fixture.told.isEmpty && fixture.store.health.reason != nil })
        #expect(await receipt.outcome == .refused(.databaseUnavailable))
        #expect(fixture.told.contains { $0.reason == "database_commit_unknown" })
        // It is visible on this server, and would be gone after a failover.
        #expect(try fixture.sequences() == "1 2")
        server.stop()
    }
}
