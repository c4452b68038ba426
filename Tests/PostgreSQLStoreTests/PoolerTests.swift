import Platform
import PostgreSQL
import PostgreSQLFixture
import Store
import TestSupport
import Testing

@testable import PostgreSQLStore

/// pgbouncer between ipnd and the server.
@Suite(.enabled(if: Pooler.isInstalled, "\(Pooler.notice)"), .serialized)
struct PoolerTests {
    private func failure(_ database: Database, _ pooler: Pooler) throws -> PostgresError? {
        let string = try ConnectionString(pooler.string(database: database.name))
        do throws(PostgresError) {
            _ = try PostgresConnection.connect(string, database.settings, clock: SystemClock())
            return nil
        } catch {
            return error
        }
    }

    /// With `server_round_robin` the pooler assigns its sessions in turn, not the last one first.
    @Test(arguments: ["transaction", "statement"], ["0", "1"])
    func `pools that share sessions are refused with a remedy`(mode: String, roundRobin: String)
        throws
    {
        let database = try Database()
        try database.install()
        let pooler = try Pooler(
            before: database.server, mode: mode, more: "server_round_robin = \(roundRobin)")
        let error = try failure(database, pooler)
        guard case .pooled(let text) = error, let error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.hasSuffix("gives every transaction another session"))
        #expect(error.reason == "database_pooled")
        let failure = DatabaseFailure(error, schema: "ipnd")
        #expect(failure.isMistake)
        #expect(failure.remedy.contains("pool_mode to session"))
    }

    /// Other clients use the pool at the same time, so it has several sessions to choose from.
    @Test(arguments: ["0", "1"])
    func `a pool that others use is refused too`(roundRobin: String) async throws {
        let database = try Database()
        try database.install()
        let pooler = try Pooler(
            before: database.server, mode: "session", more: "server_round_robin = \(roundRobin)")
        let string = try ConnectionString(pooler.string(database: database.name))
        // Four sessions, each with its own process; from now on they are shared.
        let others = try (0..<4).map { _ in
            try PostgresConnection.connect(string, database.settings, clock: SystemClock())
        }
        try pooler.configure(mode: "transaction", more: "server_round_robin = \(roundRobin)")
        try await awaitSharing(others)
        #expect(try failure(database, pooler)?.reason == "database_pooled")
    }

    @Test func `a pool of whole sessions serves two instances`() async throws {
        let database = try Database()
        try database.install()
        let pooler = try Pooler(before: database.server, mode: "session")
        let stores = try (0..<2).map { _ in
            try store(database, pooler, SystemClock()) { _ in }
        }
        let receipts = await withTaskGroup(of: Receipt.self) { group in
            for index in 0..<100 {
                group.addTask { await stores[index % 2].record(.sample("R\(index / 2)")) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(receipts.count { if case .recorded = $0.outcome { true } else { false } } == 50)
        #expect(try database.psql("SELECT count(*), max(sequence) FROM event") == "50|50")
        let page = try await stores[0].records.page(
            after: 0, through: 99, limit: 99, bytesMax: 1 << 20)
        #expect(page.records.map(\.sequence) == Array(1...50))
        for store in stores { await store.close() }
    }

    /// The pooler is reconfigured under two instances, and mixes up their sessions. These have the
    /// same settings and prepared statements, so nothing fails by itself.
    @Test func `a pool that begins to share sessions is noticed by the next batch`() async throws {
        let database = try Database()
        try database.install()
        let pooler = try Pooler(before: database.server, mode: "session")
        let (told, clock) = (ChangeBox(), ManualClock())
        let stores = try (0..<2).map { _ in
            try store(database, pooler, clock) { told.add($0) }
        }
        for (index, store) in stores.enumerated() {
            let receipt = await clock.ticking { await store.record(.sample("A\(index)")) }
            #expect(receipt.outcome == .recorded(UInt64(index + 1)))
        }
        try pooler.configure(mode: "transaction")
        var count = 0
        // Until the pooler has read its configuration, both continue.
        let isNoticed = await eventuallyYielding {
            count += 1
            for store in stores {
                let submission = Submission.sample("B\(count)")
                _ = await clock.ticking(milliseconds: 1000) { await store.record(submission) }
            }
            return told.all.contains { $0.reason == "database_pooled" }
        }
        #expect(isNoticed)
        for store in stores { store.beginClosing() }
    }

    private func store(
        _ database: Database, _ pooler: Pooler, _ clock: any Clock,
        report: @escaping @Sendable (DatabaseHealth.Change) -> Void
    ) throws -> PostgreSQLStore {
        return PostgreSQLStore(
            try ConnectionString(pooler.string(database: database.name)), database.settings,
            options: StoreFixture.patientOptions, clock: clock, report: report)
    }

    /// Waits until the pooler has read its configuration: then the sessions change their processes.
    private func awaitSharing(_ connections: [PostgresConnection]) async throws {
        let look = Command("SELECT pg_backend_pid()")
        // One after the other, and each twice: otherwise a pool that assigns in turn hides it.
        let isShared = try await eventuallyYielding {
            for connection in connections + connections.suffix(1) {
                do throws(PostgresError) { _ = try connection.run(look, until: .soon) } catch {
                    if case .pooled = error { return true }
                    throw error
                }
            }
            return false
        }
        #expect(isShared, "the pooler still keeps sessions apart")
    }
}
