import Payments

/// What the tables need of a record: everything of its event but the times.
package struct ReplayedEvent: Equatable, Sendable {
    package var sequence: UInt64
    /// The date of `received`, as text.
    package var day: String
    /// When it was received, in the first record of a day.
    package var received: Timestamp?
    package var endpoint: String
    package var outcome: RecordOutcome
    package var conflictsWith: UInt64?
    package var notification: Notification
    /// What the merchant registered. Such a record has no `key`, so only the general decoder reads
    /// it.
    package var registered: RegisteredExpectation? { rarity?.registered }
    /// What a person did. As with `registered`, only the general decoder reads it.
    package var action: RecordedAction? { rarity?.action }
    private let rarity: Rarity?
    /// The record that it corrects. Such a record has a member of its own, so only the general
    /// decoder reads it.
    package var corrects: UInt64?

    /// What few records have, kept apart: millions of events are handed on at a start, and with it
    /// each would be twice as large.
    private final class Rarity: Equatable, Sendable {
        let registered: RegisteredExpectation?
        let action: RecordedAction?

        init?(_ event: RecordedEvent) {
            guard event.registered != nil || event.action != nil else { return nil }
            registered = event.registered
            action = event.action
        }

        static func == (left: Rarity, right: Rarity) -> Bool {
            left.registered == right.registered && left.action == right.action
        }
    }

    /// From the general decoder.
    package init(_ event: RecordedEvent) {
        sequence = event.sequence
        day = String(event.received.rfc3339.prefix(10))
        endpoint = event.endpoint
        outcome = event.outcome
        conflictsWith = event.conflictsWith
        notification = event.notification
        notification.occurred = nil
        rarity = Rarity(event)
        corrects = event.corrects
    }

    /// From a record of exactly the layout that `RecordEncoder` writes, without escapes: nearly all
    /// are. Nil for any other, which the general decoder then reads. A start reads millions, and
    /// this takes a quarter of its time.
    package init?(quickly record: UnsafeRawBufferPointer) {
        var cursor = RecordCursor(record)
        guard cursor.take(#"{"schema":1,"sequence":"#), let sequence = cursor.integer(),
            sequence > 0, cursor.take(#","received":""#), let received = cursor.text(),
            cursor.take(#","endpoint":""#), let endpoint = cursor.string(),
            cursor.take(#","provider":""#), cursor.text() != nil,
            cursor.take(#","key":""#), cursor.text() != nil,
            let outcome = Self.outcome(&cursor)
        else { return nil }
        if cursor.take(#","conflictsWith":"#) {
            guard let original = cursor.integer(), original > 0 else { return nil }
            conflictsWith = UInt64(original)
        }
        guard Self.skipFlags(&cursor), let notification = Self.notification(&cursor) else {
            return nil
        }
        self.sequence = UInt64(sequence)
        day = String(decoding: received.prefix(10), as: UTF8.self)
        self.endpoint = endpoint
        self.outcome = outcome
        self.notification = notification
        rarity = nil
    }

    private static func outcome(_ cursor: inout RecordCursor) -> RecordOutcome? {
        guard cursor.take(#","outcome":""#) else { return nil }
        if cursor.take(#"recorded""#) { return .recorded }
        if cursor.take(#"ignored""#) { return .ignored }
        return cursor.take(#"conflict""#) ? .conflict : nil
    }

    /// The flags of the record are the order's: they are derived again.
    private static func skipFlags(_ cursor: inout RecordCursor) -> Bool {
        guard cursor.take(#","flags":["#) else { return false }
        while !cursor.take("]") {
            _ = cursor.take(",")
            guard cursor.take("\""), cursor.text() != nil else { return false }
        }
        return true
    }

    private static func notification(_ cursor: inout RecordCursor) -> Notification? {
        guard cursor.take(#","event":{"id":""#), let id = cursor.string(),
            cursor.take(#","kind":""#), let kind = cursor.string(),
            cursor.take(#","status":""#), let status = cursor.string()
        else { return nil }
        var notification = Notification(id: id, kind: kind, status: status)
        if cursor.take(#","occurred":""#) { guard cursor.text() != nil else { return nil } }
        if cursor.take(#","reference":""#) {
            guard let reference = cursor.string() else { return nil }
            notification.reference = reference
        }
        if cursor.take(#","alias":""#) {
            guard let alias = cursor.string() else { return nil }
            notification.alias = alias
        }
        if cursor.take(#","transaction":""#) {
            guard let transaction = cursor.string() else { return nil }
            notification.transaction = transaction
        }
        if cursor.take(#","ids":""#) {
            guard let ids = cursor.string().flatMap(IDSpace.init(rawValue:)) else { return nil }
            notification.ids = ids
        }
        if cursor.take(#","method":""#) {
            guard let method = cursor.string() else { return nil }
            notification.method = method
        }
        if cursor.take(#","agreement":""#) {
            guard let agreement = cursor.string() else { return nil }
            notification.agreement = agreement
        }
        if cursor.take(#","effect":{"on":""#) {
            guard let effect = cursor.effect() else { return nil }
            notification.effect = effect
        }
        // A notification with a reason, a bound or flags is rare enough for the general decoder.
        return cursor.take("}") ? notification : nil
    }
}
