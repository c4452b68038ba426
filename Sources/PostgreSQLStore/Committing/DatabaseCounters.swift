import Store
import Synchronization

/// What the committer has done, for the metrics.
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

    var now: Counts { counts.withLock { $0 } }

    func countBatch(_ receipts: [Receipt], records: Int, nanoseconds: UInt64) {
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
                case .recorded, .refused: break
                }
            }
        }
    }

    func countFailure() { counts.withLock { $0.failures += 1 } }
}
