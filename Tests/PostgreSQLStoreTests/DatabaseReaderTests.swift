import Payments
import PostgreSQL
import PostgreSQLFixture
import Store
import Testing

@testable import PostgreSQLStore

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct DatabaseReaderTests {
    private func reader(_ fixture: StoreFixture, secondsMax: Int = 10) throws -> DatabaseReader {
        DatabaseReader(
            LinkSource(
                try ConnectionString(
                    "host=\(fixture.link.directory) user=postgres "
                        + "dbname=\(fixture.database.name)"),
                fixture.database.settings), secondsMax: secondsMax)
    }

    /// The sequences of a page, as the feed reads it.
    private func sequences(
        _ reader: DatabaseReader, after: UInt64 = 0, limit: Int = 9, bytesMax: Int = 1 << 20
    ) async throws -> [UInt64] {
        let records = DatabaseRecords(
            reader: reader, health: DatabaseHealth(patienceSeconds: 1) { _ in },
            commitFeed: CommitFeed())
        return try await records.page(after: after, through: 99, limit: limit, bytesMax: bytesMax)
            .records.map(\.sequence)
    }

    @Test func itReadsRecordsInOrderAndOrdersByEachOfTheirNames() async throws {
        let fixture = try StoreFixture()
        for name in ["A", "B", "C"] {
            _ = await fixture.store.record(.sample(name, transaction: "T-\(name)"))
        }
        let reader = try reader(fixture)
        #expect(try await sequences(reader, after: 1, limit: 1) == [2])
        #expect(try await sequences(reader, bytesMax: 1) == [1])
        #expect(try await reader.last() == 3)
        let named = try await reader.order(.reference(endpoint: "shop", "B"))
        #expect(named?.sequences == [2])
        let held = try await reader.order(.id(endpoint: "shop", "T-B"))
        #expect(held == named)
        #expect(try await reader.order(.reference(endpoint: "shop", "D")) == nil)
        #expect(try await reader.order(.reference(endpoint: "none", "B")) == nil)
    }

    @Test func aConnectionThatHasEndedIsReplaced() async throws {
        let fixture = try StoreFixture()
        _ = await fixture.store.record(.sample("A"))
        let reader = try reader(fixture)
        #expect(try await sequences(reader) == [1])
        fixture.link.setDown(true)
        await #expect(throws: ReadFailure.self) { try await sequences(reader) }
        fixture.link.setDown(false)
        // For a second the failure is remembered.
        var found: [UInt64] = []
        while found.isEmpty { found = (try? await sequences(reader)) ?? [] }
        #expect(found == [1])
    }

    /// A row that is visible and that no standby holds would be lost by a failover.
    @Test func whatTheStandbyDoesNotHoldIsNotShown() async throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let fixture = try StoreFixture(on: server) {
            $0.batchSecondsMax = 1
            $0.requestSecondsMax = 2
        }
        _ = await fixture.store.record(.sample("A"))
        // Patient, then not: the first one's answer has to come, the second one's never does.
        #expect(try await sequences(try reader(fixture)) == [1])
        let reader = try reader(fixture, secondsMax: 1)
        try fixture.database.setStandby("away")
        _ = await fixture.store.record(.sample("B"))
        // Somebody ends the wait: now the row is visible.
        let waiting = try fixture.database.waiting()
        #expect(!waiting.isEmpty)
        for process in waiting { try server.psql("SELECT pg_cancel_backend(\(process))") }
        #expect(try await eventually { try fixture.sequences() == "1 2" })
        await #expect(throws: ReadFailure.self) { try await sequences(reader) }
        await #expect(throws: ReadFailure.self) {
            try await reader.order(.reference(endpoint: "shop", "B"))
        }
    }
}
