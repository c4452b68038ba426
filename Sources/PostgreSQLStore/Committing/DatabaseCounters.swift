import Platform
import Store
import Synchronization

/// Counters of the committer, for the metrics.
final class DatabaseCounters: Sendable {
    struct Counts: Sendable {
        var records = 0
        var duplicates = 0
        var conflicts = 0
        var ignored = 0
        var batches = 0
        var batchRecordsMax = 0
        /// Batches that failed or whose outcome was unknown.
        var failures = 0
        var nanoseconds: UInt64 = 0
        var nanosecondsMax: UInt64 = 0
    }

    private let counts = Mutex(Counts())
    /// Time from the first statement of a batch to the answer to its commit, and number of its
    /// records.
    let commitMicroseconds = Histogram(bounds: [
        500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000,
        2_000_000, 5_000_000,
    ])
    let batchRecords = Histogram(bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500])

    var now: Counts { counts.withLock { $0 } }

    func countBatch(_ receipts: [Receipt], records: Int, nanoseconds: UInt64) {
        commitMicroseconds.add(Int(clamping: nanoseconds / 1000))
        batchRecords.add(records)
        counts.withLock { counts in
            counts.batches += 1
            counts.records += records
            counts.batchRecordsMax = max(counts.batchRecordsMax, records)
            counts.nanoseconds += nanoseconds
            counts.nanosecondsMax = max(counts.nanosecondsMax, nanoseconds)
            for receipt in receipts {
                switch receipt.outcome {
                case .duplicate: counts.duplicates += 1
                case .conflict: counts.conflicts += 1
                case .ignored: counts.ignored += 1
                case .recorded, .denied, .refused: break
                }
            }
        }
    }

    func countFailure() { counts.withLock { $0.failures += 1 } }
}

/// Figures of the store at one moment, for metrics.
package struct DatabaseFigures: Sendable {
    /// Records written since the start, conflicts and ignored ones included.
    package let records: Int
    package let batches: Int
    /// Batches that failed, or whose outcome was unknown; most were then run again.
    package let failures: Int
    package let commitNanoseconds: UInt64
    package let commitMicroseconds: HistogramCounts
    package let batchRecords: HistogramCounts
    package let queueLength: Int
    /// Whether the database answers.
    package let isUp: Bool

    init(_ counters: DatabaseCounters, queueLength: Int, isUp: Bool) {
        let counts = counters.now
        records = counts.records
        batches = counts.batches
        failures = counts.failures
        commitNanoseconds = counts.nanoseconds
        commitMicroseconds = counters.commitMicroseconds.read()
        batchRecords = counters.batchRecords.read()
        self.queueLength = queueLength
        self.isUp = isUp
    }
}
