import Payments
import Records

/// The change that one record makes: computed before the record is written, accepted into the batch
/// when it is in the frame. It is moved and never copied: a copy counts some ten references.
package struct EventChange: ~Copyable {
    /// The content of the record.
    package var content: RecordContent
    /// The event's identity and what is remembered of it.
    package let key: KeyHash
    package let event: KnownEvent
    /// The order after the event; nil when the event is about no order, or about a full one.
    package var place: OrderPlace?
    /// The full order that the event is about, where it changes only the number of its records.
    package var full: (key: KeyHash, order: FullOrder)? { fullOrders.first }
    /// None or one. Stored inline, it would be a third of what a decision moves.
    private var fullOrders: [(key: KeyHash, order: FullOrder)] = []

    init(_ outcome: RecordOutcome, _ mark: EventMark, flags: [Flag] = []) {
        key = mark.key
        event = mark.known
        content = RecordContent(
            sequence: mark.known.sequence, outcome: outcome, conflictsWith: nil, flags: flags,
            order: nil)
    }

    /// Adds the order after `notification` to the content.
    mutating func describe(
        _ place: borrowing OrderPlace, after notification: Notification
    ) {
        let summary = place.order.summary
        content.flags = Self.flags(summary, notification)
        let order = place.order
        let reference = order.reference
        content.order = OrderChange(
            reference: reference,
            transaction: reference == nil ? order.leastID : notification.transaction,
            previous: place.previous, summary: summary, absorbed: place.absorbed,
            absorbedIDs: place.absorbedIDs, rivals: place.stored.rivals,
            touched: place.touched.map {
                .init(reference: $0.reference, id: $0.id, first: $0.first)
            })
    }

    /// All references that lead to the order.
    package var references: [String] {
        if let full { return full.order.isUnjoined ? [] : [full.order.name] }
        switch place {
        case .some(let place):
            return place.order.references.map(\.text) + place.touched.compactMap(\.reference)
        case .none: return []
        }
    }

    /// Notes an event about a full order, to which nothing is added.
    mutating func note(
        _ full: FullOrder, under key: KeyHash, after notification: Notification, isDescribed: Bool
    ) {
        var order = full
        order.later.add(event.sequence)
        fullOrders = [(key, order)]
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
}

/// The decision on a notification.
package enum EventDecision: ~Copyable {
    /// Known, with the same content: nothing to write.
    case duplicate(of: UInt64)
    /// To be recorded.
    case record(EventChange)
}

/// The decision on a registration.
package enum RegistrationDecision: ~Copyable {
    case record(EventChange)
    /// Registered before, with the same content.
    case same(as: UInt64)
    /// Something else was registered before, and is kept.
    case differs(from: UInt64)
    /// The try cannot be tied to the shop's order.
    case refused(ActionRefusal)
}

/// An event's identity and what is remembered of it.
struct EventMark {
    var key: KeyHash
    var known: KnownEvent

    /// - Parameter content: The hash of the event's content.
    init(key: KeyHash, content: KeyHash, sequence: UInt64) {
        self.key = key
        let fingerprint = UInt32(truncatingIfNeeded: content.low) & KnownEvent.fingerprintMask
        known = KnownEvent(sequence: sequence, fingerprint: fingerprint)
    }
}
