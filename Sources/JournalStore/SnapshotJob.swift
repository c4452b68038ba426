import Journal

/// Writes one snapshot on a thread of its own while the intake goes on, then takes old segments
/// away.
final class SnapshotJob {
    private let journal: JournalMaintenance
    private let point: SnapshotPoint
    private let retention: JournalRetention?
    private var tables: StoreTables?

    /// Of what the journal holds up to `point`.
    init(
        of journal: JournalMaintenance, point: SnapshotPoint, tables: StoreTables,
        retention: JournalRetention?
    ) {
        self.journal = journal
        self.point = point
        self.tables = tables
        self.retention = retention
    }

    /// Throws `JournalError.unusable`. A snapshot that failed costs time at the next start and
    /// nothing else. Returns what somebody should know of the retention.
    func run() throws(JournalError) -> String? {
        guard let tables = tables.take() else { return nil }
        let writer = try journal.snapshot(of: point)
        var content = TablesWriter(tables, to: writer)
        try content.write()
        try writer.finish()
        guard let retention else {
            try journal.noteTime()
            return nil
        }
        return try journal.retain(days: retention.days, retention.disposal).warning
    }
}
