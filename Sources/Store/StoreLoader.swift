import Journal
import Payments

/// Rebuilds the tables when the store is opened: from a snapshot, and from the records after it.
struct StoreLoader {
    /// What is known before the first record; then the thread has it.
    private var tables: StoreTables
    private var thread: ReplayThread?
    /// The date of the record before.
    private var day = ""

    /// Starts from empty tables under a new key.
    init() { tables = StoreTables(function: .keyedAtRandom()) }

    /// Begins with what a snapshot holds; false, and nothing changed, when it is of no use to this
    /// program. Throws what reading it throws.
    mutating func restore(_ snapshot: Snapshot) throws -> Bool {
        var reader = TablesReader()
        try snapshot.forEachChunk { section, bytes in reader.read(section, bytes) }
        guard let restored = reader.finish(), restored.sequence == snapshot.point.sequence else {
            return false
        }
        tables = restored
        return true
    }

    /// Takes the next record in. Throws `RecordError`.
    mutating func replay(_ record: UnsafeRawBufferPointer, sequence: UInt64) throws(RecordError) {
        var event: ReplayedEvent
        if let quick = ReplayedEvent(quickly: record) {
            event = quick
        } else {
            event = ReplayedEvent(try RecordDecoder.event(record))
        }
        guard event.sequence == sequence else { throw .sequence(Int64(clamping: event.sequence)) }
        // Age marks are a day apart, so times are only read when the date is another.
        if event.day != day {
            day = event.day
            event.received = try RecordDecoder.event(record).received
        }
        if thread == nil { thread = ReplayThread(takeTables()) }
        thread?.apply(event)
    }

    /// The tables with every record in them. To be called once.
    mutating func finish() -> StoreTables {
        thread?.finish() ?? takeTables()
    }

    /// Gives the tables away. A copy that stayed behind would make the first write to each shard
    /// copy the shard.
    private mutating func takeTables() -> StoreTables {
        var taken = StoreTables(function: tables.function)
        swap(&taken, &tables)
        return taken
    }
}
