import Journal

/// Writes one snapshot on a thread of its own while the intake goes on, then takes old segments
/// away.
final class SnapshotJob {
    private let directory: String
    private let storage: any Storage
    private let point: SnapshotPoint
    private let retention: JournalRetention?
    private var tables: StoreTables?

    init(
        directory: String, storage: any Storage, point: SnapshotPoint, tables: StoreTables,
        retention: JournalRetention?
    ) {
        self.directory = directory
        self.storage = storage
        self.point = point
        self.tables = tables
        self.retention = retention
    }

    /// Throws `JournalError.unusable`. A snapshot that failed costs time at the next start and
    /// nothing else.
    func run() throws(JournalError) {
        guard let tables = tables.take() else { return }
        let writer = try SnapshotWriter(directory: directory, storage: storage, point: point)
        var content = TablesWriter(tables, to: writer)
        try content.write()
        try writer.finish()
        guard let retention else { return }
        _ = try Retention.apply(
            directory: directory, storage: storage, days: retention.days,
            disposal: retention.disposal)
    }
}
