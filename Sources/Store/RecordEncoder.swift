import Cryptography
import JSON
import Payments

/// Writes records.
///
/// # Record, schema 1
///
/// One JSON object, members in this order, absent when there is nothing to say. Later schemas only
/// add members.
///
/// | member | what | |---|---| | `schema` | 1 | | `sequence` | its number in the journal, from 1,
/// without gaps | | `received` | when the request was complete, RFC 3339, UTC, microseconds | |
/// `endpoint`, `provider` | names | | `key` | which of the endpoint's keys or secrets verified the
/// request | | `outcome` | `recorded`, `conflict`, `ignored` | | `conflictsWith` | the sequence of
/// the first event of this identity, when this one says something else | | `flags` | the order's
/// and the notification's | | `event` | the notification: `id`, `kind`, `status`, `occurred`,
/// `reference`, `transaction`, `effect`, `flags` | | `order` | after the event: `reference`,
/// `status`, `previous`, `transaction`, `amount`, `refunded` | | `request` | `method`, `target`,
/// `headers`, then `body` or `bodyBase64` | | `peer` | the client's address |
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
        writer.beginObject()
        writer.key("schema")
        writer.integer(1)
        writer.key("sequence")
        writer.integer(content.sequence)
        writer.key("received")
        writer.string(submission.received.rfc3339)
        writer.key("endpoint")
        writer.string(submission.endpoint)
        writer.key("provider")
        writer.string(submission.provider)
        writer.key("key")
        writer.string(submission.key)
        writer.key("outcome")
        writer.string(content.outcome.rawValue)
        if let original = content.conflictsWith {
            writer.key("conflictsWith")
            writer.integer(original)
        }
        writer.key("flags")
        append(content.flags, to: &writer)
        writer.key("event")
        append(submission.notification, to: &writer)
        if let order = content.order {
            writer.key("order")
            append(order, to: &writer)
        }
        writer.key("request")
        submission.request.write(to: &writer, encodesBodyAsBase64: encodesBodyAsBase64)
        if !submission.peer.isEmpty {
            writer.key("peer")
            writer.string(submission.peer)
        }
        writer.endObject()
        bytes = writer.takeBytes()
    }

    static func append(_ flags: [Flag], to writer: inout JSONWriter) {
        writer.beginArray()
        for flag in flags { writer.string(flag.rawValue) }
        writer.endArray()
    }

    private static func append(_ notification: Notification, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("id")
        writer.string(notification.id)
        writer.key("kind")
        writer.string(notification.kind)
        writer.key("status")
        writer.string(notification.status)
        if let occurred = notification.occurred {
            writer.key("occurred")
            writer.string(occurred.rfc3339)
        }
        if let reference = notification.reference {
            writer.key("reference")
            writer.string(reference)
        }
        if let transaction = notification.transaction {
            writer.key("transaction")
            writer.string(transaction)
        }
        append(notification.effect, to: &writer)
        if !notification.flags.isEmpty {
            writer.key("flags")
            append(notification.flags, to: &writer)
        }
        writer.endObject()
    }

    private static func append(_ effect: Effect, to writer: inout JSONWriter) {
        switch effect {
        case .attempt(let status, let amount):
            append(on: "attempt", id: nil, status.name, amount, to: &writer)
        case .capture(let id, let status, let amount):
            append(on: "capture", id: id, status.name, amount, to: &writer)
        case .refund(let id, let status, let amount):
            append(on: "refund", id: id, status.name, amount, to: &writer)
        case .dispute(let id, let status, let amount):
            append(on: "dispute", id: id, status.name, amount, to: &writer)
        case .none: break
        }
    }

    private static func append(
        on thing: String, id: String?, _ status: String, _ amount: Money?,
        to writer: inout JSONWriter
    ) {
        writer.key("effect")
        writer.beginObject()
        writer.key("on")
        writer.string(thing)
        if let id {
            writer.key("id")
            writer.string(id)
        }
        writer.key("status")
        writer.string(status)
        append("amount", amount, to: &writer)
        writer.endObject()
    }

    static func append(_ order: OrderChange, to writer: inout JSONWriter) {
        writer.beginObject()
        if let reference = order.reference {
            writer.key("reference")
            writer.string(reference)
        }
        writer.key("status")
        writer.string(order.summary.status.rawValue)
        if let previous = order.previous {
            writer.key("previous")
            writer.string(previous.rawValue)
        }
        if let transaction = order.transaction {
            writer.key("transaction")
            writer.string(transaction)
        }
        append("amount", order.summary.amount, to: &writer)
        append("refunded", order.summary.refunded, to: &writer)
        writer.endObject()
    }

    static func append(
        _ name: StaticString, _ amount: Money?, to writer: inout JSONWriter
    ) {
        guard let amount else { return }
        writer.key(name)
        writer.beginObject()
        writer.key("minor")
        writer.integer(amount.minor)
        writer.key("currency")
        writer.string(amount.currency.code)
        writer.endObject()
    }
}
