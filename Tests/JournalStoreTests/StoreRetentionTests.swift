import Payments
import Store
import Testing

@testable import JournalStore

/// Segments that a store removes after a snapshot.
@Suite struct StoreRetentionTests {
    private static let records = 30

    /// The segments that are left when two days have passed since they were written, one day is
    /// configured, and the destinations have received so much.
    private func segmentsLeft(
        told: UInt64?, undeliveredDays: Int = 30
    ) async throws -> [String] {
        let storage = MemoryStorage()
        var options = Samples.options
        options.snapshotRecords = 1_000_000
        options.snapshotClosingRecords = 1
        options.retention = JournalRetention(
            days: 1, disposal: .delete, undeliveredDays: undeliveredDays)
        options.deliveredThrough = { told }
        let store = try Samples.store(on: storage, options)
        for number in 0..<Self.records {
            let payment = Samples.payment(
                "E-\(number)", reference: "R-\(number)", transaction: "T-\(number)")
            _ = await store.record(
                Samples.submission(payment, body: [UInt8](repeating: 0x20, count: 14 << 10)))
        }
        storage.time.advance(days: 2)
        await store.close()
        #expect(store.statistics.snapshots == 1)
        return storage.state.withLock { state in
            state.files.keys.filter { $0.hasSuffix(".segment") }.sorted()
        }
    }

    @Test func `old segments stay until all destinations were told of them`() async throws {
        let all = try await segmentsLeft(told: 0)
        try #require(all.count > 2)
        #expect(try await segmentsLeft(told: nil) == all.suffix(1), "there are no destinations")
        #expect(try await segmentsLeft(told: 1_000_000) == all.suffix(1))
        // A segment is named by its first record.
        let third = try #require(UInt64(all[2].suffix(18).prefix(10)))
        #expect(try await segmentsLeft(told: third - 1) == Array(all.dropFirst(2)))
        #expect(try await segmentsLeft(told: third - 2) == Array(all.dropFirst()))
        #expect(try await segmentsLeft(told: 0, undeliveredDays: 0) == all.suffix(1))
    }
}
