import Platform

/// The store's counters at one moment, for metrics.
package struct StoreStatistics: Sendable, Equatable {
    /// Records written since the store was opened, conflicts and ignored ones included.
    package var records: Int
    /// Duplicates answered; they are not written.
    package var duplicates: Int
    package var conflicts: Int
    package var ignored: Int
    /// Frames written, each with one `fdatasync`.
    package var batches: Int
    /// The records of the greatest batch.
    package var batchRecordsMax: Int
    /// Time spent in writing and syncing, in all and the longest.
    package var commitNanoseconds: Int
    package var commitNanosecondsMax: Int
    /// Submissions and queries that wait now.
    package var queueLength: Int
    /// Events in the dedup index, from before this start too.
    package var eventsRemembered: Int
    package var ordersRemembered: Int
    /// Snapshots written, and those that failed.
    package var snapshots: Int
    package var snapshotFailures: Int
    /// True while submissions are refused because the disk is full.
    package var spaceIsMissing: Bool
    /// How long each `fdatasync` of a batch took, and how many records each batch had.
    package var syncMicroseconds: HistogramCounts
    package var batchRecords: HistogramCounts

    package init(
        records: Int,
        duplicates: Int,
        conflicts: Int,
        ignored: Int,
        batches: Int,
        batchRecordsMax: Int,
        commitNanoseconds: Int,
        commitNanosecondsMax: Int,
        queueLength: Int,
        eventsRemembered: Int,
        ordersRemembered: Int,
        snapshots: Int,
        snapshotFailures: Int,
        spaceIsMissing: Bool,
        syncMicroseconds: HistogramCounts,
        batchRecords: HistogramCounts
    ) {
        self.records = records
        self.duplicates = duplicates
        self.conflicts = conflicts
        self.ignored = ignored
        self.batches = batches
        self.batchRecordsMax = batchRecordsMax
        self.commitNanoseconds = commitNanoseconds
        self.commitNanosecondsMax = commitNanosecondsMax
        self.queueLength = queueLength
        self.eventsRemembered = eventsRemembered
        self.ordersRemembered = ordersRemembered
        self.snapshots = snapshots
        self.snapshotFailures = snapshotFailures
        self.spaceIsMissing = spaceIsMissing
        self.syncMicroseconds = syncMicroseconds
        self.batchRecords = batchRecords
    }
}
