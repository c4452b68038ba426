import Payments
import Records

/// Applies recorded events to the tables, by the rules that made the records.
struct ReplayApplier: Sendable {
    /// Its batch is always empty: every decision is applied at once.
    private var ledger: JournalLedger

    init(_ tables: consuming StoreTables, factsMax: Int) {
        ledger = JournalLedger(tables, factsMax: factsMax)
    }

    mutating func apply(_ events: [ReplayedEvent]) {
        for start in stride(from: 0, to: events.count, by: JournalLedger.submissionsAheadMax) {
            ledger.apply(events[start...].prefix(JournalLedger.submissionsAheadMax))
        }
    }

    /// The tables; the applier is empty afterwards. A copy that it kept would make the first write
    /// to each shard copy the shard.
    mutating func finish() -> StoreTables {
        var finished = StoreTables(function: ledger.tables.function)
        swap(&finished, &ledger.tables)
        return finished
    }
}
