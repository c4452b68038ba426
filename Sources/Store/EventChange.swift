import Payments

/// What one record changes: computed before it is written, accepted into the batch when it stands
/// in the frame. It is handed on and never copied: a copy counts some ten references.
struct EventChange: ~Copyable {
    /// What the record says of it.
    var content: RecordContent
    /// The event's identity and what to remember of it.
    let key: KeyHash
    let entry: DedupTable.Entry
    /// The order as it is after the event; nil for what is about no order.
    var place: OrderPlace?

    init(_ outcome: RecordOutcome, _ event: EventMark, flags: [Flag] = []) {
        key = event.key
        entry = event.entry
        content = RecordContent(
            sequence: event.entry.sequence, outcome: outcome, conflictsWith: nil, flags: flags,
            order: nil)
    }

    /// Says what the order is now that the notification has been applied to it.
    mutating func describe(
        _ place: borrowing OrderPlace, after notification: Notification
    ) {
        let summary = place.order.blob.order.summary
        content.flags = summary.flags
        if !notification.flags.isEmpty {
            var all = FlagSet(summary.flags)
            all.formUnion(FlagSet(notification.flags))
            content.flags = all.list
        }
        let order = place.order.blob.order
        let reference = order.reference
        content.order = OrderChange(
            reference: reference,
            transaction: reference == nil ? order.leastID : notification.transaction,
            previous: place.previous, summary: summary, absorbed: place.absorbed,
            absorbedIDs: place.absorbedIDs)
    }

    /// Every reference that leads to the order.
    var references: [String] {
        switch place {
        case .some(let place): place.order.blob.order.references.map(\.text)
        case .none: []
        }
    }

    /// What the sender's task is told once it is durable.
    var receipt: Receipt {
        let result: Receipt.Outcome =
            switch content.outcome {
            case .recorded: .recorded(entry.sequence)
            case .conflict: .conflict(entry.sequence)
            case .ignored: .ignored(entry.sequence)
            }
        return Receipt(
            result, reference: content.order?.reference, status: content.order?.summary.status)
    }
}
