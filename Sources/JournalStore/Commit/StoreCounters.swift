import Platform
import Store
import Synchronization

/// Counters of the store since it was opened. Written by the committer, readable from any thread at
/// any time.
package final class StoreCounters: Sendable {
    private let records = Atomic<Int>(0)
    private let duplicates = Atomic<Int>(0)
    private let conflicts = Atomic<Int>(0)
    private let ignored = Atomic<Int>(0)
    private let batches = Atomic<Int>(0)
    private let batchRecordsMax = Atomic<Int>(0)
    private let commitNanoseconds = Atomic<Int>(0)
    private let commitNanosecondsMax = Atomic<Int>(0)
    private let snapshots = Atomic<Int>(0)
    private let snapshotFailures = Atomic<Int>(0)
    private let events = Atomic<Int>(0)
    private let orders = Atomic<Int>(0)
    private let spaceIsMissing = Atomic<Bool>(false)

    private let syncs = Histogram(bounds: [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000,
        5_000_000,
    ])
    private let batchRecords = Histogram(bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000])

    init() {}

    // One thread writes, so a load and a store do where an atomic addition would cost a bus lock.
    private static func add(_ amount: Int, to counter: borrowing Atomic<Int>) {
        counter.store(counter.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    func countDuplicate() { Self.add(1, to: duplicates) }

    /// Counts a batch that became durable.
    func countBatch(
        records: Int, conflicts: Int, ignored: Int, nanoseconds: Int, syncNanoseconds: UInt64
    ) {
        batchRecords.add(records)
        syncs.add(Int(clamping: syncNanoseconds / 1000))
        Self.add(records, to: self.records)
        Self.add(conflicts, to: self.conflicts)
        Self.add(ignored, to: self.ignored)
        Self.add(1, to: batches)
        Self.add(nanoseconds, to: commitNanoseconds)
        if records > batchRecordsMax.load(ordering: .relaxed) {
            batchRecordsMax.store(records, ordering: .relaxed)
        }
        if nanoseconds > commitNanosecondsMax.load(ordering: .relaxed) {
            commitNanosecondsMax.store(nanoseconds, ordering: .relaxed)
        }
    }

    func countSnapshot(isGood: Bool) {
        if isGood { Self.add(1, to: snapshots) } else { Self.add(1, to: snapshotFailures) }
    }

    func setRemembered(events: Int, orders: Int) {
        self.events.store(events, ordering: .relaxed)
        self.orders.store(orders, ordering: .relaxed)
    }

    func setSpaceIsMissing(_ isMissing: Bool) {
        spaceIsMissing.store(isMissing, ordering: .relaxed)
    }

    /// Returns the counters now. Each is exact; together they may straddle a batch.
    func read(queueLength: Int) -> StoreStatistics {
        StoreStatistics(
            records: records.load(ordering: .relaxed),
            duplicates: duplicates.load(ordering: .relaxed),
            conflicts: conflicts.load(ordering: .relaxed),
            ignored: ignored.load(ordering: .relaxed),
            batches: batches.load(ordering: .relaxed),
            batchRecordsMax: batchRecordsMax.load(ordering: .relaxed),
            commitNanoseconds: commitNanoseconds.load(ordering: .relaxed),
            commitNanosecondsMax: commitNanosecondsMax.load(ordering: .relaxed),
            queueLength: queueLength,
            eventsRemembered: events.load(ordering: .relaxed),
            ordersRemembered: orders.load(ordering: .relaxed),
            snapshots: snapshots.load(ordering: .relaxed),
            snapshotFailures: snapshotFailures.load(ordering: .relaxed),
            spaceIsMissing: spaceIsMissing.load(ordering: .relaxed),
            syncMicroseconds: syncs.read(), batchRecords: batchRecords.read())
    }
}
