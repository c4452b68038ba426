import Journal

/// Rebuilds the tables from the journal's records, by the same rules that made them.
struct StoreLoader {
    private var tables: StoreTables
    private var batch: PendingBatch
    private var batchCount = 0

    /// Records are decided over an overlay and applied so many at a time.
    private static let batchMax = 512

    /// Starts from tables that a snapshot held, or from empty ones.
    init(tables: StoreTables = StoreTables(function: .keyedAtRandom())) {
        self.tables = tables
        batch = PendingBatch(function: tables.function)
    }

    /// Begins with what a snapshot holds; false, and nothing changed, when it is of no use to this
    /// program. Throws what reading it throws.
    mutating func restore(_ snapshot: Snapshot) throws -> Bool {
        var reader = TablesReader()
        try snapshot.forEachChunk { section, bytes in reader.read(section, bytes) }
        guard let restored = reader.finish(), restored.sequence == snapshot.point.sequence else {
            return false
        }
        self = StoreLoader(tables: restored)
        return true
    }

    /// Takes the next record in. Throws `RecordError`.
    mutating func replay(_ record: UnsafeRawBufferPointer, sequence: UInt64) throws(RecordError) {
        let event = try RecordDecoder.event(record)
        guard event.sequence == sequence else { throw .sequence(Int64(clamping: event.sequence)) }
        let endpoint = tables.endpoints.number(of: event.endpoint)
        batch.accept(batch.decide(event, endpoint: endpoint, in: tables), received: event.received)
        batchCount += 1
        if batchCount == Self.batchMax { apply() }
    }

    /// The tables with every record in them; the loader is empty afterwards. A copy that it kept
    /// would make the first write to each shard copy the shard.
    mutating func finish() -> StoreTables {
        apply()
        var finished = StoreTables(function: tables.function)
        swap(&finished, &tables)
        return finished
    }

    private mutating func apply() {
        batch.apply(to: &tables)
        batchCount = 0
    }
}
