import Ledger
import Payments
import Store
import TestSupport
import Testing

@testable import JournalStore

@Suite struct RetentionTests {
    private static let day: Int64 = 86_400_000_000

    private func submission(_ id: String, day: Int64) -> Submission {
        var submission = Samples.submission(Samples.payment(id, reference: id, transaction: id))
        submission.received = Timestamp(microseconds: day * Self.day)
        return submission
    }

    @Test func `events are forgotten after their time and orders stay`() async throws {
        let storage = MemoryStorage()
        storage.time.advance(days: 500)
        var options = Samples.options
        options.snapshotRecords = 1_000_000
        options.snapshotClosingRecords = 1
        var environment = StoreEnvironment()
        environment.clock = ManualClock(wallMicroseconds: 500 * Self.day)
        let first = try Samples.store(on: storage, options, environment: environment)
        for day in 0..<200 { _ = await first.record(submission("E-\(day)", day: Int64(day))) }
        // Closing writes a snapshot, and after each snapshot the old events are forgotten.
        options.snapshotRecords = 100
        await first.close()

        let second = try Samples.store(on: storage, options, environment: environment)
        for day in 200..<300 { _ = await second.record(submission("E-\(day)", day: Int64(day))) }
        while second.statistics.snapshots == 0 {
            _ = await second.order(endpoint: "antom", reference: "E-0")
        }
        // 400 days before day 500 is day 100: the marks of the days before it are older.
        while second.statistics.eventsRemembered > 201 {
            _ = await second.order(endpoint: "antom", reference: "E-0")
        }
        #expect(second.statistics.eventsRemembered == 201)
        #expect(second.statistics.ordersRemembered == 300)
        let kept = await second.record(submission("E-150", day: 300))
        #expect(kept.outcome == .duplicate(of: 151))
        let forgotten = await second.record(submission("E-50", day: 300))
        #expect(forgotten == Receipt(.recorded(301), reference: "E-50", status: .paid))
        let view = await second.order(endpoint: "antom", reference: "E-50")
        #expect(view?.order.amount == Samples.money(4200), "a repetition changes no order")
        #expect(view?.sequences == [51, 301])
        await second.close()
    }

    /// A clock that is 500 days ahead while a snapshot is written forgets nothing.
    @Test func `a clock that is ahead forgets nothing`() async throws {
        let storage = MemoryStorage()
        storage.time.advance(days: 1000)
        var options = Samples.options
        options.snapshotRecords = 1_000_000
        options.snapshotClosingRecords = 1
        let first = try Samples.store(on: storage, options)
        for number in 0..<50 { _ = await first.record(submission("E-\(number)", day: 1000)) }
        // Marks are a day apart, so without a later one nothing would be forgotten anyway.
        _ = await first.record(submission("E-50", day: 1001))
        await first.close()
        storage.time.jump(days: 500)
        var environment = StoreEnvironment()
        environment.clock = storage.time
        options.snapshotRecords = 1
        let second = try Samples.store(on: storage, options, environment: environment)
        // A snapshot is due after some records, and forgetting takes a shard with each batch.
        var batches = 0
        for number in 0..<100_000 where batches < 2 * StoreShard.count {
            _ = await second.record(submission("F-\(number)", day: 1500))
            if second.statistics.snapshots > 0 { batches += 1 }
        }
        try #require(second.statistics.snapshots > 0)
        for number in 0..<50 {
            let again = await second.record(submission("E-\(number)", day: 1500))
            #expect(again.outcome == .duplicate(of: UInt64(number + 1)))
        }
        await second.close()
    }

    @Test func `the table forgets what stands before a sequence`() {
        var tables = StoreTables(function: SipHash(key: (1, 2)))
        let keys = KeyMaker(function: tables.function)
        for sequence in 1...5000 as ClosedRange<UInt64> {
            let key = keys.event(0, id: "E-\(sequence)")
            tables.remember(key, .init(sequence: sequence, fingerprint: 0))
        }
        for shard in 0..<StoreShard.count { tables.forgetEvents(before: 4001, shard: shard) }
        #expect(tables.eventCount == 1000)
        #expect(tables.event(keys.event(0, id: "E-4000")) == nil)
        #expect(tables.event(keys.event(0, id: "E-4001"))?.sequence == 4001)
    }
}
