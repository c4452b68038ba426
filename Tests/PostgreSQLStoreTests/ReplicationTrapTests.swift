import Platform
import PostgreSQL
import PostgreSQLFixture
import Store
import Synchronization
import TestSupport
import Testing

@testable import PostgreSQLStore

/// A server whose synchronous standby is away: every commit that wrote something waits for it. The
/// setting applies to a whole server, so these tests have a separate one, and run one after the
/// other.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"), .serialized)
struct ReplicationTrapTests {
    private static let server = Result { try PostgreSQLServer() }

    private let server: PostgreSQLServer
    private let fixture: StoreFixture
    private let clock = ManualClock()

    /// Time limit of a batch, a request or a read, by a clock that only the test moves.
    private static let seconds = 1000

    init() async throws {
        server = try Self.server.get()
        // Commits of the previous test may still wait, and so would CREATE DATABASE.
        let common = try Database.standbyless(server)
        try await common.setStandby("")
        fixture = try StoreFixture(on: server, clock: clock) {
            $0.batchSecondsMax = Self.seconds
            $0.requestSecondsMax = Self.seconds
        }
    }

    /// The result of `waiting` after its time is up. The clock advances until then, because the
    /// wait may have begun only just now.
    private func late<Value: Sendable, Failure: Error>(
        _ waiting: Task<Value, Failure>
    ) async throws -> Value {
        try await clock.ticking(milliseconds: Self.seconds * 1000) { try await waiting.value }
    }

    /// Records it while the clock advances: the store may have to wait for its connection.
    private func record(_ name: String) async -> Receipt {
        await clock.ticking { await fixture.store.record(.sample(name)) }
    }

    private func comeToWait(_ count: Int = 1) async throws -> Bool {
        try await clock.ticks { try fixture.database.waiting().count >= count }
    }

    @Test func `nothing is answered before the standby holds it and nothing is cancelled`()
        async throws
    {
        _ = await record("A")
        try await fixture.database.setStandby("away")
        let refused = Task { await fixture.store.record(.sample("B")) }
        #expect(try await comeToWait())
        #expect(try await late(refused).outcome == .refused(.databaseUnavailable))
        #expect(
            try !fixture.database.waiting().isEmpty, "the commit still waits: it was not cancelled")
        try await fixture.database.setStandby("")
        // Refused until the store has a connection again.
        #expect(
            await eventuallyYielding {
                await record("B").outcome == .duplicate(of: 2)
            })
    }

    @Test func `a duplicate waits for the standby too`() async throws {
        _ = await record("A")
        try await fixture.database.setStandby("away")
        let refused = Task { await fixture.store.record(.sample("A")) }
        #expect(try await comeToWait())
        #expect(try await late(refused).outcome == .refused(.databaseUnavailable))
        // Refused at once until the store has a connection again: tried until one has to wait.
        let isLocked = Mark()
        let isConfirmed = Task {
            var isConfirmed = false
            repeat {
                await pause(milliseconds: 2)
                isConfirmed = await fixture.store.confirm()
            } while !isConfirmed && !isLocked.isSet
            return isConfirmed
        }
        // On a new connection: the abandoned one has the head's row until its commit ends.
        #expect(
            try await clock.ticks {
                try fixture.database.psql(
                    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") != "0"
            })
        isLocked.set()
        #expect(try await late(isConfirmed) == false)
        try await fixture.database.setStandby("")
        #expect(await eventuallyYielding { await clock.ticking { await fixture.store.confirm() } })
        #expect(await record("A").outcome == .duplicate(of: 1))
    }

    /// An operator's ways to end a commit that hangs, and their meaning.
    @Test(arguments: ["pg_cancel_backend", "pg_terminate_backend"])
    func `a wait that somebody ends is no success`(function: String) async throws {
        _ = await record("A")
        try await fixture.database.setStandby("away")
        let receipt = Task { await fixture.store.record(.sample("B")) }
        #expect(try await comeToWait())
        let first = try fixture.database.waiting()
        for process in first { try server.psql("SELECT \(function)(\(process))") }
        #expect(
            await clock.ticks { !fixture.changes.isEmpty && fixture.store.health.reason != nil })
        // It is found on a new connection, and has to be confirmed there.
        #expect(try await clock.ticks { try !Set(fixture.database.waiting()).isSubset(of: first) })
        #expect(try await late(receipt).outcome == .refused(.databaseUnavailable))
        #expect(fixture.changes.contains { $0.reason == "database_commit_unknown" })
        // It is visible on this server, and would be gone after a failover.
        #expect(try fixture.sequences() == "1 2")
    }

    /// A visible row that no standby has would be lost in a failover.
    @Test func `what the standby does not hold is not shown`() async throws {
        _ = await record("A")
        let reader = try fixture.reader(clock: clock, secondsMax: Self.seconds)
        #expect(try await clock.ticking { try await reader.last() } == 1)
        try await fixture.database.setStandby("away")
        let receipt = Task { await fixture.store.record(.sample("B")) }
        #expect(try await comeToWait())
        // An operator ends the wait: now the row is visible.
        for process in try fixture.database.waiting() {
            try server.psql("SELECT pg_cancel_backend(\(process))")
        }
        #expect(try await eventuallyYielding { try fixture.sequences() == "1 2" })
        // The committer waits again, and so does the reader.
        #expect(try await comeToWait())
        let last = Task { try await reader.last() }
        #expect(try await comeToWait(2))
        await #expect(throws: ReadFailure.self) { try await late(last) }
        _ = try await late(receipt)
        clock.advance(seconds: 2)
        let count = try fixture.database.waiting().count
        let order = Task { try await reader.order(.reference(endpoint: "shop", "B")) }
        #expect(try await comeToWait(count + 1))
        await #expect(throws: ReadFailure.self) { try await late(order) }
    }
}

/// Set by one task for another.
private final class Mark: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() { value.store(true, ordering: .releasing) }
}
