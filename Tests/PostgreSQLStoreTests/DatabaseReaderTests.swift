import Payments
import Platform
import PostgreSQL
import PostgreSQLFixture
import Store
import TestSupport
import Testing

@testable import PostgreSQLStore

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct DatabaseReaderTests {
    /// The sequences of a page of the feed.
    private func sequences(
        _ reader: DatabaseReader, after: UInt64 = 0, limit: Int = 9, bytesMax: Int = 1 << 20
    ) async throws -> [UInt64] {
        let records = DatabaseRecords(
            reader: reader,
            health: DatabaseHealth(patienceSeconds: 1, clock: SystemClock()) { _ in },
            commitFeed: CommitFeed())
        return try await records.page(after: after, through: 99, limit: limit, bytesMax: bytesMax)
            .records.map(\.sequence)
    }

    @Test func `it reads records in order and orders by each of their names`() async throws {
        let fixture = try StoreFixture()
        for name in ["A", "B", "C"] {
            _ = await fixture.store.record(.sample(name, transaction: "T-\(name)"))
        }
        let reader = try fixture.reader(clock: SystemClock())
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

    @Test func `a connection that has ended is replaced`() async throws {
        let fixture = try StoreFixture()
        let clock = ManualClock()
        _ = await fixture.store.record(.sample("A"))
        let reader = try fixture.reader(clock: clock)
        #expect(try await sequences(reader) == [1])
        fixture.link.setDown(true)
        await #expect(throws: ReadFailure.self) { try await sequences(reader) }
        fixture.link.setDown(false)
        // The failure is remembered for a second.
        await #expect(throws: ReadFailure.self) { try await sequences(reader) }
        clock.advance(seconds: 1)
        #expect(try await sequences(reader) == [1])
    }
}
