import JSON
import Payments
import Store

/// An order as JSON, for `GET /orders/{endpoint}/{reference}`.
enum OrderPage {
    static func write(_ view: OrderView, now: Timestamp, to writer: inout JSONWriter) {
        let order = view.order
        let summary = order.summary
        writer.beginObject()
        writer.key("endpoint")
        writer.string(view.endpoint)
        writer.key("reference")
        write(order.reference, to: &writer)
        writer.key("status")
        writer.string(summary.status.rawValue)
        writer.key("amount")
        write(summary.amount, to: &writer)
        writer.key("refunded")
        write(summary.refunded, to: &writer)
        writer.key("flags")
        writer.beginArray()
        for flag in summary.flags { writer.string(flag.rawValue) }
        if Overdue.isOverdue(summary.status, order.expected?.expires, now: now) {
            writer.string(Overdue.flag)
        }
        writer.endArray()
        if let expected = order.expected {
            writer.key("expected")
            write(expected, to: &writer)
        }
        writer.key("attempts")
        writer.beginArray()
        for attempt in order.attempts { write(attempt, to: &writer) }
        writer.endArray()
        writer.key("refunds")
        writer.beginArray()
        for refund in order.refunds {
            write(
                refund.id, refund.transaction, refund.status.map(name), refund.amount, to: &writer)
        }
        writer.endArray()
        writer.key("disputes")
        writer.beginArray()
        for dispute in order.disputes {
            write(
                dispute.id, dispute.transaction, dispute.status.map(name), dispute.amount,
                to: &writer)
        }
        writer.endArray()
        writer.key("sequences")
        writer.beginArray()
        for sequence in view.sequences { writer.integer(sequence) }
        writer.endArray()
        writer.endObject()
    }

    private static func write(_ expected: Expectation, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("amount")
        write(expected.amount, to: &writer)
        if let expires = expected.expires {
            writer.key("expires")
            writer.string(expires.rfc3339)
        }
        writer.endObject()
    }

    private static func write(_ attempt: Attempt, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("transaction")
        writer.string(attempt.transaction)
        writer.key("status")
        write(attempt.status.map(name), to: &writer)
        writer.key("amount")
        write(attempt.amount, to: &writer)
        writer.key("captures")
        writer.beginArray()
        for capture in attempt.captures {
            write(capture.id, nil, capture.status.map(name), capture.amount, to: &writer)
        }
        writer.endArray()
        writer.endObject()
    }

    /// A capture, refund or dispute.
    private static func write(
        _ id: String, _ transaction: String?, _ status: String?, _ amount: Money?,
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("id")
        writer.string(id)
        if let transaction {
            writer.key("transaction")
            writer.string(transaction)
        }
        writer.key("status")
        write(status, to: &writer)
        writer.key("amount")
        write(amount, to: &writer)
        writer.endObject()
    }

    private static func write(_ text: String?, to writer: inout JSONWriter) {
        if let text { writer.string(text) } else { writer.null() }
    }

    private static func write(_ money: Money?, to writer: inout JSONWriter) {
        guard let money else {
            writer.null()
            return
        }
        writer.beginObject()
        writer.key("minor")
        writer.integer(money.minor)
        writer.key("currency")
        writer.string(money.currency.code)
        writer.endObject()
    }

    /// The case's own name is the word that the page documents.
    private static func name(_ status: some Sendable) -> String { "\(status)" }
}
