import Journal

/// Writes the tables into a snapshot, one shard after the other, and lets go of each when it is
/// written: what the committer changes meanwhile is copied only as long as the snapshot holds it.
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
        try write(shard.events.words, .events, index)
        try write(shard.orders.slots, .orders, index)
        try write(shard.pointers.slots, .pointers, index)
        try write(shard.unjoined.slots, .unjoined, index)
        for chunk in shard.arena.chunks {
            try write(chunk.span.bytes, .arena, index)
        }
    }

    private func write(
        _ words: [UInt64], _ part: TablesSnapshot.Part, _ shard: Int
    ) throws(JournalError) {
        try write(words.span.bytes, part, shard)
    }

    /// In pieces that `SnapshotWriter` takes. Their length is a multiple of a word's.
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
