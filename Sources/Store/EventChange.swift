import Payments

/// What one record changes: computed before it is written, accepted into the batch when it stands in the frame.
struct EventChange {
    var outcome: RecordOutcome
    var flags: [Flag]
    /// The event's identity and what to remember of it.
    var key: KeyHash
    var entry: DedupTable.Entry
    var conflictsWith: UInt64?
    var order: OrderChange?
    /// The orders as they are after the event: the one that it names, and the one that was joined to it.
    var orders: [(KeyHash, StoredOrder)] = []
    /// A transaction's key and its order's.
    var transaction: (KeyHash, KeyHash)?

    init(
        _ outcome: RecordOutcome, flags: [Flag] = [], key: KeyHash, entry: DedupTable.Entry
    ) {
        self.outcome = outcome
        self.flags = flags
        self.key = key
        self.entry = entry
    }

    /// What the record says of it.
    var content: RecordContent {
        RecordContent(
            sequence: entry.sequence, outcome: outcome, conflictsWith: conflictsWith, flags: flags,
            order: order)
    }

    /// What the sender's task is told once it is durable.
    var receipt: Receipt {
        let result: Receipt.Outcome =
            switch outcome {
            case .recorded: .recorded(entry.sequence)
            case .conflict: .conflict(entry.sequence)
            case .ignored: .ignored(entry.sequence)
            }
        return Receipt(result, reference: order?.reference, status: order?.summary.status)
    }
}
