import Platform

/// Counters of the store at one moment, for metrics.
package struct StoreStatistics: Sendable, Equatable {
    /// Records written since the store was opened, conflicts and ignored ones included.
    package var records: Int
    /// Duplicates that were answered; they are not written.
    package var duplicates: Int
    package var conflicts: Int
    package var ignored: Int
    /// Frames written, each with one `fdatasync`.
    package var batches: Int
    /// Number of records in the largest batch.
    package var batchRecordsMax: Int
    /// Time spent writing and syncing, in total and at most.
    package var commitNanoseconds: Int
    package var commitNanosecondsMax: Int
    /// Number of waiting submissions and queries.
    package var queueLength: Int
    /// Number of events in the dedup index, those from before this start included.
    package var eventsRemembered: Int
    package var ordersRemembered: Int
    /// Number of written snapshots, and of failed ones.
    package var snapshots: Int
    package var snapshotFailures: Int
    /// Whether submissions are refused because the disk is full.
    package var spaceIsMissing: Bool
    /// Duration of the `fdatasync` of each batch, and number of its records.
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
