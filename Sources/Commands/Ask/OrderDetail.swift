import AdminAPI
import Console
import Payments

/// One order in full: the output of `ipnd orders REFERENCE`.
struct OrderDetail {
    let order: OrderAnswer
    /// The name by which it was found, for an order without a reference.
    let name: String
    /// The merchant's metadata, a JSON object, which only `GET /orders` returns.
    var metadata: String?
    /// Its last records, oldest first.
    let records: [EventAnswer]
    var terminal = Terminal.none

    var lines: [String] {
        var lines = [
            "\(Self.text(order.endpoint))/\(Self.text(order.reference ?? name))  "
                + terminal.colored(
                    Self.text(order.status).uppercased(), as: Self.text(order.status))
        ]
        lines += facts.lines(nameWidth: 12, on: terminal).map { "  \($0)" }
        lines += section("flags", flags) + section("attempts", attempts.lines(on: indented))
        for (title, operations) in [
            ("captures", order.attempts.flatMap(\.captures).map(Row.init)),
            ("refunds", order.refunds.map(Row.init)),
            ("refunds of unknown sums", order.refundClaims.map(Row.init)),
            ("disputes", order.disputes.map(Row.init)),
            ("reversals", order.reversals.map(Row.init)),
        ] where !operations.isEmpty {
            lines += section(title, Self.table("id", operations).lines(on: indented))
        }
        return lines + section("timeline", timeline.lines(on: indented))
    }

    private var facts: NamedValues {
        var facts = NamedValues()
        func add(_ name: String, _ value: String) {
            if !value.isEmpty { facts.line(name, value) }
        }
        if order.status == OrderStatus.review.rawValue {
            add("review", Self.text(ReviewSentence.of(order)))
        }
        add("amount", OrdersCommand.money(order.amount))
        add("authorized", OrdersCommand.money(order.authorized))
        add("captured", OrdersCommand.money(order.captured))
        add("refunded", OrdersCommand.money(order.refunded, hidesZero: true))
        add("claims", Self.sums(order.claims))
        add("candidates", Self.sums(order.candidates))
        if let expected = order.expected {
            let end = expected.expires.map { ", until \($0.rfc3339)" } ?? ""
            add("expected", OrdersCommand.money(expected.amount) + end)
        }
        add("metadata", Self.text(metadata))
        add("aliases", order.aliases.map { Self.text($0) }.joined(separator: ", "))
        add("reason", Self.text(order.reason))
        add("method", Self.text(order.method))
        add("agreement", Self.text(order.agreement))
        if let resolution = order.resolution {
            add(
                "resolved",
                "\(Self.text(resolution.status)) by \(Self.text(resolution.by)) at "
                    + "\(resolution.resolved.rfc3339): " + Self.text(resolution.reason)
                    + (resolution.stands ? "" : " (does not count any more)"))
        }
        return facts
    }

    /// The terminal less the indentation of sections.
    private var indented: Terminal { terminal.narrowed(by: 2) }

    private var flags: [String] {
        order.flags.map { flag in
            "\(flag): \(FlagAdvice.sentences[flag] ?? "see config/orders.md")"
        }
    }

    private var attempts: TextTable { Self.table("transaction", order.attempts.map(Row.init)) }

    /// An attempt, capture, refund, dispute or reversal.
    private struct Row {
        let id: String
        let status: String?
        let amount: Money?
        var reason: Reason?

        init(_ attempt: AttemptAnswer) {
            (id, status) = (attempt.transaction, attempt.status)
            (amount, reason) = (attempt.amount, attempt.reason)
        }

        init(_ operation: OperationAnswer) {
            (id, status) = (operation.id, operation.status)
            (amount, reason) = (operation.amount, operation.reason)
        }

        init(_ claim: RefundClaimAnswer) {
            (id, status, amount) = (claim.id, claim.status, claim.amount)
        }
    }

    private static func table(_ id: String, _ rows: [Row]) -> TextTable {
        var table = TextTable([
            (id, .left), ("status", .word), ("amount", .right), ("reason", .left),
        ])
        for row in rows {
            table.add([
                text(row.id), text(row.status), OrdersCommand.money(row.amount), text(row.reason),
            ])
        }
        return table
    }

    private var timeline: TextTable {
        var table = TextTable([
            ("sequence", .right), ("received", .time), ("event", .left), ("outcome", .word),
            ("order", .word),
        ])
        for record in records {
            table.add([
                "\(record.sequence)", record.received.rfc3339, Self.words(record.event),
                Self.text(record.outcome), Self.text(record.order?.status),
            ])
        }
        return table
    }

    /// The event in words; for a person's decision also by whom and why.
    private static func words(_ event: EventAnswer.Event) -> String {
        var words = [text(event.kind), text(event.status)]
        if let action = event.action {
            words.append("by \(text(action.by))")
            let reason = text(action.reason)
            if !reason.isEmpty { words.append("(\(reason))") }
        }
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// A section with its title; empty if it has no rows.
    private func section(_ title: String, _ lines: [String]) -> [String] {
        guard lines.count > (title == "flags" ? 0 : 1) else { return [] }
        return ["", terminal.bold(title)] + lines.map { "  \($0)" }
    }

    private static func text(_ text: String?) -> String { TextTable.printable(text ?? "") }

    private static func text(_ reason: Reason?) -> String {
        [text(reason?.code), text(reason?.message)].filter { !$0.isEmpty }.joined(separator: ": ")
    }

    private static func sums(_ amounts: [Money]) -> String {
        amounts.map { OrdersCommand.money($0) }.joined(separator: ", ")
    }
}
