import Payments

/// What one record changes: computed before it is written, accepted into the batch when it stands
/// in the frame. It is handed on and never copied: a copy counts some ten references.
struct EventChange: ~Copyable {
    /// What the record says of it.
    var content: RecordContent
    /// The event's identity and what to remember of it.
    let key: KeyHash
    let entry: DedupTable.Entry
    /// The order as it is after the event; nil for what is about no order, or about a full one.
    var place: OrderPlace?
    /// The full order that the event is about, where it changes nothing but how many it has had.
    var full: (key: KeyHash, order: FullOrder)?

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
        content.flags = Self.flags(summary, notification)
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
        if let full { return full.order.isUnjoined ? [] : [full.order.name] }
        switch place {
        case .some(let place): return place.order.blob.order.references.map(\.text)
        case .none: return []
        }
    }

    /// The event is about a full order, to which nothing is added.
    mutating func note(
        _ full: FullOrder, under key: KeyHash, after notification: Notification, isDescribed: Bool
    ) {
        var order = full
        order.later.add(entry.sequence)
        self.full = (key, order)
        guard isDescribed else { return }
        let summary = full.summary
        content.flags = Self.flags(summary, notification)
        content.order = OrderChange(
            reference: full.reference,
            transaction: full.isUnjoined ? full.name : notification.transaction,
            previous: summary.status, summary: summary)
    }

    private static func flags(_ summary: OrderSummary, _ notification: Notification) -> [Flag] {
        if notification.flags.isEmpty { return summary.flags }
        var all = FlagSet(summary.flags)
        all.formUnion(FlagSet(notification.flags))
        return all.list
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
