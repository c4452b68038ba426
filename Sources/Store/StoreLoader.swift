import Journal
import Payments

/// Rebuilds the tables from the journal's records, by the same rules that made them.
struct StoreLoader {
    private var tables: StoreTables
    /// Always empty: every decision is applied at once.
    private var rules: PendingBatch
    private var endpoint: (name: String, number: UInt16)?
    /// The date that the newest age mark was looked for.
    private var day = ""

    /// Starts from tables that a snapshot held, or from empty ones.
    init(tables: StoreTables = StoreTables(function: .keyedAtRandom())) {
        self.tables = tables
        rules = PendingBatch(function: tables.function)
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
        let event: ReplayedEvent
        if let quick = ReplayedEvent(quickly: record) {
            event = quick
        } else {
            event = ReplayedEvent(try RecordDecoder.event(record))
        }
        guard event.sequence == sequence else { throw .sequence(Int64(clamping: event.sequence)) }
        tables.apply(rules.decide(event, endpoint: number(of: event.endpoint), in: tables))
        try note(event)
    }

    /// The tables with every record in them; the loader is empty afterwards. A copy that it kept
    /// would make the first write to each shard copy the shard.
    mutating func finish() -> StoreTables {
        var finished = StoreTables(function: tables.function)
        swap(&finished, &tables)
        return finished
    }

    /// Records of one endpoint come in rows.
    private mutating func number(of name: String) -> UInt16 {
        if let endpoint, endpoint.name == name { return endpoint.number }
        let number = tables.endpoints.number(of: name)
        endpoint = (name, number)
        return number
    }

    /// Age marks are a day apart, so the time is only read when the date is another.
    private mutating func note(_ event: ReplayedEvent) throws(RecordError) {
        tables.sequence = max(tables.sequence, event.sequence)
        guard !event.received.utf8.starts(with: day.utf8) || day.isEmpty else { return }
        guard let received = Timestamp(iso8601: event.received) else { throw .value("received") }
        day = String(event.received.prefix(10))
        tables.ages.note(event.sequence, received: received)
    }
}
