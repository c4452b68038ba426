import Payments

/// What one record changes: computed before it is written, accepted into the batch when it stands
/// in the frame.
struct EventChange {
    var outcome: RecordOutcome
    /// The event's identity and what to remember of it.
    var key: KeyHash
    var entry: DedupTable.Entry
    var flags: [Flag]
    var conflictsWith: UInt64?
    /// What the record says of the order.
    var order: OrderChange?
    /// The order as it is after the event; nil for what is about no order.
    var place: OrderPlace?

    init(_ outcome: RecordOutcome, _ event: EventMark, flags: [Flag] = []) {
        self.outcome = outcome
        key = event.key
        entry = event.entry
        self.flags = flags
    }

    /// Says what the order is now that the notification has been applied to it.
    mutating func describe(
        _ place: OrderPlace, after notification: Notification, previous: OrderStatus?
    ) {
        let summary = place.order.blob.order.summary
        flags = summary.flags
        if !notification.flags.isEmpty {
            var all = FlagSet(flags)
            all.formUnion(FlagSet(notification.flags))
            flags = all.list
        }
        order = OrderChange(
            reference: place.order.blob.order.reference, transaction: notification.transaction,
            previous: previous, summary: summary)
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
