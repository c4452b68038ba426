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
            try ConnectionString(
                "host=\(fixture.link.directory) user=postgres dbname=\(fixture.database.name)"),
            fixture.database.settings, connectionsMax: 1, secondsMax: secondsMax)
    }

    @Test func itReadsRecordsInOrderAndOrdersByEachOfTheirNames() async throws {
        let fixture = try StoreFixture()
        for name in ["A", "B", "C"] {
            _ = await fixture.store.record(.sample(name, transaction: "T-\(name)"))
        }
        let reader = try reader(fixture)
        let page = try await reader.records(after: 1, limit: 1)
        #expect(page.records.map(\.sequence) == [2])
        #expect(page.last == 3)
        let text = String(decoding: page.records[0].bytes, as: UTF8.self)
        #expect(text.hasPrefix(#"{"schema":1,"sequence":2,"#))
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
        #expect(try await reader.records(after: 0, limit: 9).last == 1)
        fixture.link.setDown(true)
        await #expect(throws: DatabaseReader.Failure.self) {
            try await reader.records(after: 0, limit: 9)
        }
        fixture.link.setDown(false)
        #expect(try await reader.records(after: 0, limit: 9).last == 1)
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
        let reader = try reader(fixture, secondsMax: 1)
        #expect(try await reader.records(after: 0, limit: 9).last == 1)
        try fixture.database.setStandby("away")
        _ = await fixture.store.record(.sample("B"))
        // Somebody ends the wait: now the row is visible.
        let waiting = try fixture.database.waiting()
        #expect(!waiting.isEmpty)
        for process in waiting { try server.psql("SELECT pg_cancel_backend(\(process))") }
        #expect(try await eventually { try fixture.sequences() == "1 2" })
        await #expect(throws: DatabaseReader.Failure.self) {
            try await reader.records(after: 0, limit: 9)
        }
        await #expect(throws: DatabaseReader.Failure.self) {
            try await reader.order(.reference(endpoint: "shop", "B"))
        }
    }
}
