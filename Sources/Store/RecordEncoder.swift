import JSON
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
    /// Appends the record. `encodesBodyAsBase64` is for bodies whose escapes would make the text
    /// too long.
    static func append(
        _ content: RecordContent, of submission: Submission, encodesBodyAsBase64: Bool = false,
        to bytes: inout [UInt8]
    ) {
        var taken: [UInt8] = []
        swap(&taken, &bytes)
        var writer = JSONWriter(appendingTo: taken)
        taken = []
        writer.fragment(#"{"schema":1,"sequence":"#)
        writer.integer(Int64(content.sequence))
        writer.fragment(#","received":""#)
        writer.moment(submission.received)
        writer.fragment(#"","endpoint":"#)
        writer.string(submission.endpoint)
        writer.fragment(#","provider":"#)
        writer.string(submission.provider)
        writer.fragment(#","key":"#)
        writer.string(submission.key)
        writer.fragment(#","outcome":"#)
        writer.string(content.outcome.rawValue)
        if let original = content.conflictsWith {
            writer.fragment(#","conflictsWith":"#)
            writer.integer(Int64(original))
        }
        writer.fragment(#","flags":"#)
        writer.flags(content.flags)
        writer.fragment(#","event":{"id":"#)
        append(submission.notification, to: &writer)
        if let order = content.order { append(order, to: &writer) }
        writer.fragment(#","request":"#)
        submission.request.write(to: &writer, encodesBodyAsBase64: encodesBodyAsBase64)
        if !submission.peer.isEmpty { writer.text(#","peer":"#, submission.peer) }
        writer.fragment("}")
        bytes = writer.takeBytes()
    }

    private static func append(_ notification: Notification, to writer: inout JSONWriter) {
        writer.string(notification.id)
        writer.fragment(#","kind":"#)
        writer.string(notification.kind)
        writer.fragment(#","status":"#)
        writer.string(notification.status)
        if let occurred = notification.occurred {
            writer.fragment(#","occurred":""#)
            writer.moment(occurred)
            writer.fragment("\"")
        }
        writer.text(#","reference":"#, notification.reference)
        writer.text(#","transaction":"#, notification.transaction)
        append(notification.effect, to: &writer)
        if !notification.flags.isEmpty {
            writer.fragment(#","flags":"#)
            writer.flags(notification.flags)
        }
        writer.fragment("}")
    }

    private static func append(_ effect: Effect, to writer: inout JSONWriter) {
        switch effect {
        case .attempt(let status, let amount):
            writer.fragment(#","effect":{"on":"attempt""#)
            append(status.name, amount, to: &writer)
        case .capture(let id, let status, let amount):
            writer.text(#","effect":{"on":"capture","id":"#, id)
            append(status.name, amount, to: &writer)
        case .refund(let id, let status, let amount):
            writer.text(#","effect":{"on":"refund","id":"#, id)
            append(status.name, amount, to: &writer)
        case .dispute(let id, let status, let amount):
            writer.text(#","effect":{"on":"dispute","id":"#, id)
            append(status.name, amount, to: &writer)
        case .none: break
        }
    }

    private static func append(_ status: String, _ amount: Money?, to writer: inout JSONWriter) {
        writer.text(#","status":"#, status)
        writer.amount(#","amount":"#, amount)
        writer.fragment("}")
    }

    static func append(_ order: OrderChange, to writer: inout JSONWriter) {
        writer.fragment(#","order":{"#)
        if let reference = order.reference {
            writer.text(#""reference":"#, reference)
            writer.fragment(",")
        }
        writer.text(#""status":"#, order.summary.status.rawValue)
        writer.text(#","previous":"#, order.previous?.rawValue)
        writer.text(#","transaction":"#, order.transaction)
        writer.amount(#","amount":"#, order.summary.amount)
        writer.amount(#","refunded":"#, order.summary.refunded)
        writer.fragment("}")
    }
}
