import JSON
import Payments
import Store

/// An order as JSON, for `GET /orders/{endpoint}/{reference}`.
enum OrderPage {
    /// Most elements of each list of facts in one answer; `?offset=` asks for the next ones.
    static let factsMax = 100

    /// - Parameter offset: How many elements of each list to leave out.
    static func write(
        _ view: OrderView, from offset: Int = 0, repetitions: Repetitions? = nil, now: Timestamp,
        to writer: inout JSONWriter
    ) {
        let order = view.order
        func page<Fact>(_ facts: [Fact]) -> [Fact] {
            Array(facts.dropFirst(offset).prefix(factsMax))
        }
        let summary = order.summary
        writer.beginObject()
        writer.key("endpoint")
        writer.string(view.endpoint)
        writer.key("reference")
        writer.text(order.reference)
        if !order.aliases.isEmpty {
            writer.list("aliases", page(order.aliases)) { $0.string($1) }
        }
        writer.key("status")
        writer.string(summary.status.rawValue)
        write(summary, to: &writer)
        writer.key("flags")
        writer.beginArray()
        for flag in summary.flags { writer.string(flag.rawValue) }
        if Overdue.isOverdue(summary.status, order.expected?.expires, now: now) {
            writer.string(Overdue.flag)
        }
        writer.endArray()
        if !view.rivals.isEmpty {
            writer.list("sharedWith", view.rivals) { $0.string($1) }
        }
        if let expected = order.expected {
            writer.key("expected")
            write(expected, to: &writer)
        }
        writer.list("attempts", page(order.attempts)) { write($1, to: &$0) }
        writer.list("refunds", page(order.refunds)) { writer, refund in
            write(refund.id, refund.transaction, refund.reports, to: &writer)
        }
        if !order.unclearRefunds.isEmpty {
            writer.list("refundClaims", page(order.unclearRefunds)) { write($1, to: &$0) }
        }
        writer.list("disputes", page(order.disputes)) { writer, dispute in
            write(dispute.id, dispute.transaction, dispute.reports, to: &writer)
        }
        if !order.reversals.isEmpty {
            writer.list("reversals", page(order.reversals)) { writer, reversal in
                write(
                    reversal.id, reversal.transaction, reversal.reports, of: reversal.kind.name,
                    to: &writer)
            }
        }
        writeCounts(of: order, to: &writer)
        if let resolution = order.resolution { write(resolution, of: order, to: &writer) }
        writer.key("last")
        writer.integer(max(view.sequences.last ?? 0, view.laterLast))
        writer.list("sequences", view.sequences) { $0.integer($1) }
        if view.laterCount > 0 {
            writer.key("later")
            writer.beginObject()
            writer.key("count")
            writer.integer(view.laterCount)
            writer.key("last")
            writer.integer(view.laterLast)
            writer.endObject()
        }
        if let repetitions { write(repetitions, of: view.sequences, to: &writer) }
        writer.endObject()
    }

    /// Which of the order's records were told again, as far as this process knows.
    private static func write(
        _ repetitions: Repetitions, of sequences: [UInt64], to writer: inout JSONWriter
    ) {
        let known = sequences.compactMap { sequence in
            repetitions[sequence].map { (sequence, $0) }
        }
        writer.key("repetitions")
        writer.beginObject()
        writer.key("since")
        writer.string(repetitions.since.rfc3339)
        writer.list("records", known) { writer, record in
            writer.beginObject()
            writer.key("sequence")
            writer.integer(record.0)
            writer.key("times")
            writer.integer(record.1.times)
            writer.key("last")
            writer.string(record.1.last.rfc3339)
            writer.endObject()
        }
        writer.endObject()
    }

    /// How long the lists are, where one does not fit into an answer.
    private static func writeCounts(of order: Order, to writer: inout JSONWriter) {
        let counts = [
            ("aliases", order.aliases.count), ("attempts", order.attempts.count),
            ("refunds", order.refunds.count), ("refundClaims", order.unclearRefunds.count),
            ("disputes", order.disputes.count), ("reversals", order.reversals.count),
        ]
        guard counts.contains(where: { $0.1 > factsMax }) else { return }
        writer.key("counts")
        writer.beginObject()
        for (name, count) in counts {
            writer.key(name)
            writer.integer(count)
        }
        writer.endObject()
    }

    private static func write(_ summary: OrderSummary, to writer: inout JSONWriter) {
        writer.key("amount")
        writer.money(summary.amount)
        writer.key("authorized")
        writer.money(summary.authorized)
        writer.key("captured")
        writer.money(summary.captured)
        writer.key("refunded")
        writer.money(summary.refunded)
        if !summary.claims.isEmpty { writer.list("claims", summary.claims) { $0.money($1) } }
        if !summary.candidates.isEmpty {
            writer.list("candidates", summary.candidates) { $0.money($1) }
        }
        if let reason = summary.reason {
            writer.key("reason")
            writer.reason(reason)
        }
        writer.word("method", summary.method)
        writer.word("agreement", summary.agreement)
    }

    /// Who resolved a `review`, and whether that still stands.
    private static func write(
        _ resolution: Resolution, of order: Order, to writer: inout JSONWriter
    ) {
        writer.key("resolution")
        writer.beginObject()
        for (name, text) in [
            ("by", resolution.by), ("resolved", resolution.resolved.rfc3339),
            ("reason", resolution.reason), ("status", resolution.settlement.status.rawValue),
        ] {
            writer.key(name)
            writer.string(text)
        }
        writer.key("captured")
        writer.money(resolution.settlement.captured)
        writer.key("refunded")
        writer.money(resolution.settlement.refunded)
        writer.key("sequence")
        writer.integer(resolution.sequence)
        writer.key("stands")
        writer.boolean(order.flags.contains(.resolved))
        writer.endObject()
    }

    private static func write(_ expected: Expectation, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("amount")
        writer.money(expected.amount)
        if let expires = expected.expires {
            writer.key("expires")
            writer.string(expires.rfc3339)
        }
        writer.endObject()
    }
}

extension JSONWriter {
    /// A string, or null.
    mutating func text(_ text: String?) {
        if let text { string(text) } else { null() }
    }

    /// An array of what `write` writes for each element.
    mutating func list<Element>(
        _ name: String, _ elements: [Element], _ write: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        beginArray()
        for element in elements { write(&self, element) }
        endArray()
    }
}
