import Payments

/// Writes records.
///
/// # Record, schema 1
///
/// One JSON object, members in this order, absent when there is nothing to say. Later schemas only
/// add members.
///
/// - `schema`: 1
/// - `sequence`: its number in the journal, from 1, without gaps
/// - `received`: when the request was complete, RFC 3339, UTC, microseconds
/// - `endpoint`, `provider`: names
/// - `key`: which of the endpoint's keys or secrets verified the request
/// - `outcome`: `recorded`, `conflict`, `ignored`
/// - `conflictsWith`: the sequence of the first event of this identity, when this one says
///   something else
/// - `flags`: the order's and the notification's
/// - `event`: the notification: `id`, `kind`, `status`, `occurred`, `reference`, `transaction`,
///   `effect`, `flags`
/// - `order`: after the event: `reference`, `status`, `previous` (a new order has none),
///   `transaction`, `amount`, `refunded`
/// - `request`: `method`, `target`, `headers`, then `body` or `bodyBase64`
/// - `peer`: the client's address
///
/// `event.effect` is `{"on":"attempt","status":"paid","amount":{…}}`; captures, refunds and
/// disputes have an `"id"` after `on`. With `event` the notification is rebuilt as it was, so
/// replay needs no provider. Amounts are `{"minor":4200,"currency":"MYR"}`.
///
/// `target`, header names and header values are bytes: each is written as the code point of the
/// same number (ISO 8859-1), so that replay is byte for byte. `body` is the exact text when the
/// bytes are UTF-8, else `bodyBase64` (RFC 4648 §4) holds them.
enum RecordEncoder {
    /// Appends the record, and returns where its head (`RecordHead`) ends in `bytes`.
    /// `encodesBodyAsBase64` is for bodies whose escapes would make the text too long.
    @discardableResult
    static func append(
        _ content: RecordContent, of submission: Submission, encodesBodyAsBase64: Bool = false,
        to bytes: inout [UInt8]
    ) -> Int {
        bytes.write(atMost: room(content, submission)) { pen in
            pen.fragment(#"{"schema":1,"sequence":"#)
            pen.integer(Int64(content.sequence))
            pen.fragment(#","received":"#)
            pen.moment(submission.received)
            pen.fragment(#","endpoint":"#)
            pen.text(submission.endpoint)
            pen.fragment(#","provider":"#)
            pen.text(submission.provider)
            pen.fragment(#","key":"#)
            pen.text(submission.key)
            append(content, to: &pen)
            append(submission.notification, to: &pen)
            if let order = content.order { append(order, to: &pen) }
        }
        let headEnd = bytes.count
        let request = submission.request
        bytes.write(atMost: 16 + request.headRoom) { pen in
            pen.fragment(#","request":{"#)
            request.appendHead(to: &pen)
        }
        request.appendBody(to: &bytes, encodesBodyAsBase64: encodesBodyAsBase64)
        bytes.write(atMost: 16 + RecordPen.room(submission.peer)) { pen in
            pen.fragment("}")
            if !submission.peer.isEmpty { pen.text(#","peer":"#, submission.peer) }
            pen.fragment("}")
        }
        return headEnd
    }

    /// What the record takes at most, but for its request and peer.
    private static func room(_ content: RecordContent, _ submission: Submission) -> Int {
        let notification = submission.notification
        return room(content) + RecordPen.room(submission.endpoint)
            + RecordPen.room(submission.provider) + RecordPen.room(submission.key)
            + RecordPen.room(notification.id) + RecordPen.room(notification.kind)
            + RecordPen.room(notification.status) + RecordPen.room(notification.reference)
            + RecordPen.room(notification.transaction) + RecordPen.room(notification.effect.id)
            + notification.flags.count * RecordPen.room(Self.wordBytesMax)
    }

    /// What the content's own members take at most, with the names, numbers and words of the whole
    /// record.
    static func room(_ content: RecordContent) -> Int {
        2048 + content.flags.count * RecordPen.room(Self.wordBytesMax)
            + RecordPen.room(content.order?.reference) + RecordPen.room(content.order?.transaction)
    }

    /// No flag has a longer name.
    private static let wordBytesMax = 32

    /// The outcome and the flags.
    static func append(_ content: RecordContent, to pen: inout RecordPen) {
        pen.fragment(#","outcome":"#)
        pen.text(content.outcome.rawValue)
        if let original = content.conflictsWith {
            pen.fragment(#","conflictsWith":"#)
            pen.integer(Int64(original))
        }
        pen.fragment(#","flags":"#)
        pen.flags(content.flags)
    }

    private static func append(_ notification: Notification, to pen: inout RecordPen) {
        pen.fragment(#","event":{"id":"#)
        pen.text(notification.id)
        pen.fragment(#","kind":"#)
        pen.text(notification.kind)
        pen.fragment(#","status":"#)
        pen.text(notification.status)
        if let occurred = notification.occurred {
            pen.fragment(#","occurred":"#)
            pen.moment(occurred)
        }
        pen.text(#","reference":"#, notification.reference)
        pen.text(#","transaction":"#, notification.transaction)
        append(notification.effect, to: &pen)
        if !notification.flags.isEmpty {
            pen.fragment(#","flags":"#)
            pen.flags(notification.flags)
        }
        pen.fragment("}")
    }

    private static func append(_ effect: Effect, to pen: inout RecordPen) {
        switch effect {
        case .attempt(let status, let amount):
            pen.fragment(#","effect":{"on":"attempt""#)
            append(status.name, amount, to: &pen)
        case .capture(let id, let status, let amount):
            pen.text(#","effect":{"on":"capture","id":"#, id)
            append(status.name, amount, to: &pen)
        case .refund(let id, let status, let amount):
            pen.text(#","effect":{"on":"refund","id":"#, id)
            append(status.name, amount, to: &pen)
        case .dispute(let id, let status, let amount):
            pen.text(#","effect":{"on":"dispute","id":"#, id)
            append(status.name, amount, to: &pen)
        case .none: break
        }
    }

    private static func append(_ status: String, _ amount: Money?, to pen: inout RecordPen) {
        pen.text(#","status":"#, status)
        pen.amount(#","amount":"#, amount)
        pen.fragment("}")
    }

    static func append(_ order: OrderChange, to pen: inout RecordPen) {
        pen.fragment(#","order":{"#)
        if let reference = order.reference {
            pen.text(#""reference":"#, reference)
            pen.fragment(",")
        }
        pen.text(#""status":"#, order.summary.status.rawValue)
        pen.text(#","previous":"#, order.previous?.rawValue)
        pen.text(#","transaction":"#, order.transaction)
        pen.amount(#","amount":"#, order.summary.amount)
        pen.amount(#","refunded":"#, order.summary.refunded)
        pen.fragment("}")
    }
}

extension Effect {
    /// The id of what it is about, when that has one of its own.
    fileprivate var id: String? {
        switch self {
        case .capture(let id, _, _), .refund(let id, _, _), .dispute(let id, _, _): id
        case .attempt, .none: nil
        }
    }
}
