import Payments

/// Applies recorded events to the tables, by the rules that made the records.
struct ReplayApplier: Sendable {
    /// Its batch is always empty: every decision is applied at once.
    private var ledger: Ledger

    init(_ tables: consuming StoreTables, factsMax: Int) {
        ledger = Ledger(tables, factsMax: factsMax)
    }

    mutating func apply(_ events: [ReplayedEvent]) {
        for start in stride(from: 0, to: events.count, by: Ledger.submissionsAheadMax) {
            ledger.apply(events[start...].prefix(Ledger.submissionsAheadMax))
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
