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
/// - `event`: the notification: `id`, `kind`, `status`, `occurred`, `reference`, `alias`,
///   `transaction`, `effect`, `refundedAtLeast`, `reason`, `flags`
/// - `order`: after the event: `reference`, `status`, `previous` (a new order has none),
///   `transaction`, `amount`, `refunded`, `authorized`, `captured`; `claims` where one thing was
///   told with several amounts, `candidates` where several sums may have been refunded, `reason`
///   where it failed, expired or was canceled, `absorbed` and `absorbedIDs` with the references of
///   other orders, and the ids of those without one, that are part of this one from now on. An
///   order without a reference has in `transaction` the id under which it is kept
/// - `request`: `method`, `target`, `headers`, then `body` or `bodyBase64`
/// - `peer`: the client's address
///
/// `event.effect` is `{"on":"attempt","status":"paid","amount":{…}}`; captures, refunds, disputes
/// and reversals have an `"id"` after `on`. `on` is `attempt`, `capture`, `refund`, `dispute`;
/// `reversal` (with `of`: `operation`, `refund`, `dispute`); `unclear_refund` (with `refunded` and
/// `moment`); `doubt` alone. With `event` the notification is rebuilt as it was, so replay needs no
/// provider. Amounts are `{"minor":4200,"currency":"MYR"}`, a reason is `{"code":…,"message":…}`.
///
/// A record of the kind `correction` has `corrects` after `key`: the sequence of the record whose
/// notification counts as this one's from now on. It has no `request`: that record has it.
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
            pen.fragment("}")
            if let order = content.order { append(order, to: &pen) }
        }
        let headEnd = bytes.count
        let request = submission.request
        bytes.write(atMost: 16 + request.headRoom) { pen in
            pen.fragment(#","request":{"#)
            request.appendHead(to: &pen)
        }
        request.appendBody(to: &bytes, encodesBodyAsBase64: encodesBodyAsBase64)
        bytes.write(atMost: 16 + RecordWriter.room(submission.peer)) { pen in
            pen.fragment("}")
            if !submission.peer.isEmpty { pen.text(#","peer":"#, submission.peer) }
            pen.fragment("}")
        }
        return headEnd
    }

    /// What the record takes at most, but for its request and peer.
    private static func room(_ content: RecordContent, _ submission: Submission) -> Int {
        room(content) + RecordWriter.room(submission.endpoint)
            + RecordWriter.room(submission.provider) + RecordWriter.room(submission.key)
            + room(submission.notification)
    }

    /// What the event takes at most, but for the names and numbers of the whole record.
    static func room(_ notification: Notification) -> Int {
        RecordWriter.room(notification.id) + RecordWriter.room(notification.kind)
            + RecordWriter.room(notification.status) + RecordWriter.room(notification.reference)
            + RecordWriter.room(notification.alias) + RecordWriter.room(notification.transaction)
            + RecordWriter.room(notification.effect.id)
            + RecordWriter.room(notification.effect.moment)
            + room(notification.reason)
            + notification.flags.count * RecordWriter.room(Self.wordBytesMax)
    }

    private static func room(_ reason: Reason?) -> Int {
        RecordWriter.room(reason?.code) + RecordWriter.room(reason?.message)
    }

    /// What the content's own members take at most, with the names, numbers and words of the whole
    /// record.
    static func room(_ content: RecordContent) -> Int {
        var room = 2048 + content.flags.count * RecordWriter.room(Self.wordBytesMax)
        guard let order = content.order else { return room }
        room += RecordWriter.room(order.reference) + RecordWriter.room(order.transaction)
        room += Self.room(order.summary.reason)
        room += (order.summary.claims.count + order.summary.candidates.count) * amountBytesMax
        return (order.absorbed + order.absorbedIDs).reduce(room) { $0 + RecordWriter.room($1) }
    }

    /// No amount is longer: `{"minor":-9223372036854775808,"currency":"MYR"},`
    private static let amountBytesMax = 64

    /// No flag has a longer name.
    private static let wordBytesMax = 32

    /// The outcome and the flags.
    static func append(_ content: RecordContent, to pen: inout RecordWriter) {
        pen.fragment(#","outcome":"#)
        pen.text(content.outcome.rawValue)
        if let original = content.conflictsWith {
            pen.fragment(#","conflictsWith":"#)
            pen.integer(Int64(original))
        }
        pen.fragment(#","flags":"#)
        pen.flags(content.flags)
    }

    /// The event, but for its closing brace.
    static func append(_ notification: Notification, to pen: inout RecordWriter) {
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
        pen.text(#","alias":"#, notification.alias)
        pen.text(#","transaction":"#, notification.transaction)
        append(notification.effect, to: &pen)
        pen.amount(#","refundedAtLeast":"#, notification.refundedAtLeast)
        append(notification.reason, to: &pen)
        if !notification.flags.isEmpty {
            pen.fragment(#","flags":"#)
            pen.flags(notification.flags)
        }
    }

    private static func append(_ reason: Reason?, to pen: inout RecordWriter) {
        guard let reason else { return }
        pen.fragment(#","reason":{"code":"#)
        pen.text(reason.code)
        pen.fragment(#","message":"#)
        pen.text(reason.message)
        pen.fragment("}")
    }

    private static func append(_ effect: Effect, to pen: inout RecordWriter) {
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
        case .reversal(let kind, let id, let status, let amount):
            pen.fragment(#","effect":{"on":"reversal","of":"#)
            pen.text(kind.name)
            pen.text(#","id":"#, id)
            append(status.name, amount, to: &pen)
        case .unclearRefund(let id, let status, let claim):
            pen.text(#","effect":{"on":"unclear_refund","id":"#, id)
            pen.amount(#","refunded":"#, claim.refunded)
            pen.text(#","moment":"#, claim.moment)
            append(status.name, claim.amount, to: &pen)
        case .doubt: pen.fragment(#","effect":{"on":"doubt"}"#)
        case .none: break
        }
    }

    private static func append(_ status: String, _ amount: Money?, to pen: inout RecordWriter) {
        pen.text(#","status":"#, status)
        pen.amount(#","amount":"#, amount)
        pen.fragment("}")
    }

    static func append(_ order: OrderChange, to pen: inout RecordWriter) {
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
        pen.amount(#","authorized":"#, order.summary.authorized)
        pen.amount(#","captured":"#, order.summary.captured)
        append(#","claims":["#, order.summary.claims, to: &pen)
        append(#","candidates":["#, order.summary.candidates, to: &pen)
        append(order.summary.reason, to: &pen)
        append(#","absorbed":["#, order.absorbed, to: &pen)
        append(#","absorbedIDs":["#, order.absorbedIDs, to: &pen)
        pen.fragment("}")
    }

    private static func append(
        _ beginning: StaticString, _ texts: [String], to pen: inout RecordWriter
    ) {
        guard !texts.isEmpty else { return }
        for (index, text) in texts.enumerated() {
            pen.fragment(index == 0 ? beginning : ",")
            pen.text(text)
        }
        pen.fragment("]")
    }

    private static func append(
        _ beginning: StaticString, _ amounts: [Money], to pen: inout RecordWriter
    ) {
        guard !amounts.isEmpty else { return }
        for (index, amount) in amounts.enumerated() {
            pen.amount(index == 0 ? beginning : ",", amount)
        }
        pen.fragment("]")
    }
}

extension Effect {
    fileprivate var moment: String? {
        if case .unclearRefund(_, _, let claim) = self { claim.moment } else { nil }
    }
}
