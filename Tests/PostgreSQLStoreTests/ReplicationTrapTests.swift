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

    private func setStandby(_ name: String) throws {
        try server.psql("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
        try server.psql("SELECT pg_reload_conf()")
        // The postmaster's children see it a moment later.
        while try server.psql("SHOW synchronous_standby_names") != name {}
    }

    private func waiting() throws -> [String] {
        try server.psql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
            .split(separator: "\n").map(String.init)
    }

    @Test func nothingIsAnsweredBeforeTheStandbyHoldsItAndNothingIsCancelled()
        async throws
    {
        _ = await fixture.store.record(.sample("A"))
        try setStandby("away")
        let refused = await fixture.store.record(.sample("B"))
        #expect(refused.outcome == .refused(.databaseUnavailable))
        #expect(try !waiting().isEmpty, "the commit still waits: nobody cancelled it")
        try setStandby("")
        #expect(await eventually { fixture.store.health.reason == nil })
        let again = await fixture.store.record(.sample("B"))
        #expect(again.outcome == .duplicate(of: 2))
        server.stop()
    }

    @Test func aDuplicateWaitsForTheStandbyToo() async throws {
        _ = await fixture.store.record(.sample("A"))
        try setStandby("away")
        let refused = await fixture.store.record(.sample("A"))
        #expect(refused.outcome == .refused(.databaseUnavailable))
        #expect(await fixture.store.confirm() == false)
        try setStandby("")
        #expect(await eventually { await fixture.store.confirm() })
        #expect(await fixture.store.record(.sample("A")).outcome == .duplicate(of: 1))
        server.stop()
    }

    /// What an operator does to a commit that hangs, and what it means.
    @Test(arguments: ["pg_cancel_backend", "pg_terminate_backend"])
    func aWaitThatSomebodyEndsIsNoSuccess(function: String) async throws {
        _ = await fixture.store.record(.sample("A"))
        try setStandby("away")
        async let receipt = fixture.store.record(.sample("B"))
        #expect(try await eventually { try !waiting().isEmpty })
        for process in try waiting() { try server.psql("SELECT \(function)(\(process))") }
        #expect(await eventually { !fixture.told.isEmpty && fixture.store.health.reason != nil })
        #expect(await receipt.outcome == .refused(.databaseUnavailable))
        #expect(fixture.told.contains { $0.reason == "database_commit_unknown" })
        // It is visible on this server, and would be gone after a failover.
        #expect(try fixture.sequences() == "1 2")
        server.stop()
    }
}
