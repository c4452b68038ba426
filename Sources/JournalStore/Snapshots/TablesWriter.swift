import Journal

/// Writes the tables into a snapshot, one shard after the other, and releases each when it is
/// written: the committer copies the pages that it changes only while the snapshot holds them.
struct TablesWriter {
    private var tables: StoreTables
    private let writer: SnapshotWriter

    init(_ tables: StoreTables, to writer: SnapshotWriter) {
        self.tables = tables
        self.writer = writer
    }

    /// Writes all; the snapshot is then ready to be finished. Throws what `SnapshotWriter` throws.
    mutating func write() throws(JournalError) {
        try writer.append(
            section: TablesSnapshot.headerSection, TablesHeader(tables).encoded())
        for index in tables.shards.indices {
            try write(tables.shards[index], index)
            tables.shards[index] = StoreShard(index)
        }
    }

    private func write(_ shard: StoreShard, _ index: Int) throws(JournalError) {
        try writer.append(
            section: TablesSnapshot.section(.header, of: index), ShardHeader(shard).encoded())
        try write(shard.events.slots, .events, index)
        try write(shard.orders.slots, .orders, index)
        try write(shard.pointers.slots, .pointers, index)
        try write(shard.unjoined.slots, .unjoined, index)
        for chunk in shard.arena.chunks {
            try write(chunk.span.bytes, .arena, index)
        }
    }

    private func write<Slot>(
        _ slots: SlotPages<Slot>, _ part: TablesSnapshot.Part, _ shard: Int
    ) throws(JournalError) {
        for page in slots.pages { try write(page.span.bytes, part, shard) }
    }

    /// In pieces that `SnapshotWriter` takes.
    private func write(
        _ bytes: RawSpan, _ part: TablesSnapshot.Part, _ shard: Int
    ) throws(JournalError) {
        var start = 0
        while start < bytes.byteCount {
            let end = min(bytes.byteCount, start + SnapshotWriter.chunkBytesMax)
            let piece = bytes.extracting(start..<end).withUnsafeBytes { [UInt8]($0) }
            try writer.append(section: TablesSnapshot.section(part, of: shard), piece)
            start = end
        }
    }
}

/// Writes one snapshot on its own thread while the intake continues, then removes old segments.
final class SnapshotJob {
    private let journal: JournalMaintenance
    private let point: SnapshotPoint
    private let retention: JournalRetention?
    private let deliveredThrough: @Sendable () -> UInt64?
    private var tables: StoreTables?
    private let pace: WritingPace

    /// A snapshot of the journal up to `point`.
    init(
        of journal: JournalMaintenance, point: SnapshotPoint, tables: StoreTables,
        options: JournalStoreOptions, pace: WritingPace
    ) {
        self.journal = journal
        self.pace = pace
        self.point = point
        self.tables = tables
        retention = options.retention
        deliveredThrough = options.deliveredThrough
    }

    /// Writes the snapshot. Throws `JournalError.unusable`; a failed snapshot only makes the next
    /// start slower. Returns a warning about the retention, if there is one.
    func run() throws(JournalError) -> String? {
        guard let tables = tables.take() else { return nil }
        let writer = try journal.snapshot(of: point, pace: pace)
        var content = TablesWriter(tables, to: writer)
        try content.write()
        try writer.finish()
        guard let retention else {
            try journal.noteTime()
            return nil
        }
        let hold = deliveredThrough().map {
            Retention.Hold(delivered: $0, days: retention.undeliveredDays)
        }
        return try journal.retain(
            days: retention.days, retention.disposal, hold: hold
        ).warning
    }
}
