import JSON
import Journal
import Ledger
import Payments
import Records

/// Rebuilds the tables when the store is opened: from a snapshot, and from the records after it.
struct StoreLoader {
    /// The tables before the first record; then the thread has them.
    private var tables: StoreTables
    private var thread: ReplayThread?
    private let factsMax: Int
    private let takesAnySnapshot: Bool
    /// The corrections in the journal.
    private var corrections: KnownCorrections
    /// Corrections that were met and that this loader did not have. The records that they correct
    /// have been applied as they were, so everything has to be read again.
    var lateCorrections: [UInt64: Notification] { corrections.lateCorrections }

    /// The records that were erased.
    private(set) var erased = ErasedRecords([])

    /// Starts from empty tables under a new key.
    ///
    /// - Parameter corrections: The `lateCorrections` of a first reading.
    /// - Parameter takesAnySnapshot: Accepts a snapshot that was made with another `orderFactsMax`:
    ///   where the journal's beginning is gone, there is nothing else.
    init(
        factsMax: Int, corrections: [UInt64: Notification] = [:], takesAnySnapshot: Bool = false
    ) {
        self.takesAnySnapshot = takesAnySnapshot
        tables = StoreTables(function: .keyedAtRandom(), factsMax: factsMax)
        self.factsMax = factsMax
        self.corrections = KnownCorrections(corrections)
    }

    /// Begins with a snapshot. Returns false, and changes nothing, when this program cannot use it.
    /// Throws what reading it throws.
    mutating func restore(_ snapshot: Snapshot) throws -> Bool {
        // A snapshot from before the corrections has the facts that they replace.
        guard corrections.isEmpty else { return false }
        var reader = TablesReader(
            factsMax: takesAnySnapshot ? nil : factsMax)
        try snapshot.forEachChunk { section, bytes in reader.read(section, bytes) }
        guard let restored = reader.finish(), restored.sequence == snapshot.point.sequence else {
            return false
        }
        tables = restored
        tables.factsMax = factsMax
        erased = restored.erased
        return true
    }

    /// Applies the next record. Throws `RecordError`.
    mutating func replay(_ record: UnsafeRawBufferPointer, sequence: UInt64) throws(RecordError) {
        let reader: RecordReader
        do throws(JSONError) { reader = try RecordReader(record, .event) } catch {
            throw .json(error)
        }
        let event = try RecordedEvent(reader)
        guard event.sequence == sequence else { throw .sequence(Int64(clamping: event.sequence)) }
        if let records = event.action?.erased { erased.formUnion(records) }
        if thread == nil { thread = ReplayThread(takeTables(), factsMax: factsMax) }
        if corrections.isEmpty && event.corrects == nil {
            thread?.apply(consume event)
            return
        }
        let (first, second) = corrections.events(of: event)
        thread?.apply(first)
        if let second { thread?.apply(second) }
    }

    /// Returns the tables with all records. Call it once.
    mutating func finish() -> StoreTables {
        var loaded = thread?.finish() ?? takeTables()
        loaded.erased = erased
        return loaded
    }

    /// Moves the tables out. If a copy stayed, the first write to each shard would copy the shard.
    private mutating func takeTables() -> StoreTables {
        var taken = StoreTables(function: tables.function, factsMax: factsMax)
        swap(&taken, &tables)
        return taken
    }
}

extension StoreLoader {
    /// Opens the journal and applies its records. Throws what `JournalWriter.open` throws.
    mutating func open(
        _ directory: String, _ storage: any Storage, _ options: JournalOptions
    ) throws(JournalError) -> JournalWriter {
        try JournalWriter.open(
            directory: directory, storage: storage, options: options,
            restore: { try restore($0) },
            replay: { try replay($1, sequence: $0) })
    }
}
