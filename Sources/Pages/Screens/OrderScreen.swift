import AdminAPI
import HTTP
import Payments
import Store

/// One order: its sums, the advice for its flags, and its history.
struct OrderScreen {
    /// As the path names it: its reference may be an id of the provider's.
    let name: OrderName
    /// Whether the provider can be asked about it.
    var canInquire = false

    func page(_ visit: PageVisit) async throws(Problem) -> Response {
        let order = try await visit.api.order(name)
        let own = OrderName(endpoint: name.endpoint, reference: order.reference ?? name.reference)
        let timeline = try await OrderTimeline.read(order, visit)
        var values: PageValues = [
            "title": own.reference, "reference": own.reference, "endpoint": own.endpoint,
            "status": StatusLook(order: order.status).values,
            "sums": Self.sums(order), "timeline": timeline.items,
            "facts": await facts(order, visit),
            "flags": order.flags.map { flag in
                [
                    "word": StatusLook.plain(flag),
                    "advice": Self.parts(FlagAdvice.sentences[flag] ?? "See config/orders.md."),
                ] as PageValues
            },
            "hasFlags": !order.flags.isEmpty, "isReview": order.status == "review",
            "why": ReviewSentence.of(order), "things": Self.operations(order),
        ]
        if canInquire, visit.role.mayAct {
            values["inquire"] = visit.path(
                endpoint: own.endpoint, reference: own.reference, act: "inquire")
        }
        if visit.role.mayAct, await !visit.api.destinations().isEmpty {
            values["resend"] = visit.path(
                endpoint: own.endpoint, reference: own.reference, act: "resend")
        }
        // Decisions are possible only about orders that have a reference.
        if visit.role.mayAct, order.reference != nil {
            values["acts"] = OrderActs(name: own).forms(of: order, visit)
        }
        values["counting"] = order.repetitions.map { PageText.time($0.since) }
        if timeline.hidden > 0 {
            values["older"] = ["count": PageText.count(timeline.hidden)] as PageValues
        }
        return visit.page("order", .orders, values)
    }

    /// The parts of a sentence: text, and words of the API, which are between backquotes.
    private static func parts(_ sentence: String) -> [PageValues] {
        sentence.split(separator: "`", omittingEmptySubsequences: false).enumerated().map {
            ["text": String($1), "isCode": !$0.isMultiple(of: 2)]
        }
    }

    private static func sums(_ order: OrderAnswer) -> [PageValues] {
        let sums: [(String, Money?)] = [
            ("Expected", order.expected?.amount), ("Authorised", order.authorized),
            ("Captured", order.captured), ("Refunded", order.refunded),
        ]
        return sums.map { name, amount in
            [
                "name": name, "value": PageText.money(amount) ?? "–",
                "isNothing": (amount?.minor ?? 0) == 0,
            ]
        }
    }

    private func facts(_ order: OrderAnswer, _ visit: PageVisit) async -> [PageValues] {
        func list(_ amounts: [Money]) -> String {
            amounts.map(PageText.money).joined(separator: ", ")
        }
        var facts: [(String, String?)] = [
            ("Amount", PageText.money(order.amount) ?? "unknown"),
            ("Claims", list(order.claims)), ("Candidates", list(order.candidates)),
            ("Expected until", order.expected?.expires?.rfc3339),
            ("Reason", Self.text(order.reason)), ("Paid by", order.method),
            ("Agreement", order.agreement),
            ("Tries", order.tries.joined(separator: ", ")),
            ("Also known as", Self.otherNames(order).joined(separator: ", ")),
        ]
        if visit.role.seesPersonalData {
            let listed = try? await visit.api.orders([
                ("endpoint", name.endpoint), ("reference", name.reference), ("limit", "1"),
            ])
            facts.append(("Metadata", listed?.orders.first?.metadata))
        }
        return facts.compactMap { name, text in
            text.flatMap { $0.isEmpty ? nil : ["name": name, "value": $0] }
        }
    }

    private static func otherNames(_ order: OrderAnswer) -> [String] {
        order.aliases.filter { name in !order.tries.contains { $0.isExactly(name) } }
    }

    static func text(_ reason: Reason?) -> String {
        PageText.joined([reason?.code, reason?.message], by: ": ")
    }

    /// Attempts, captures, refunds, disputes and reversals, as rows of one table.
    private static func operations(_ order: OrderAnswer) -> [PageValues] {
        func row(
            _ kind: String, _ id: String, _ status: String?, _ amount: Money?,
            _ reason: Reason? = nil
        ) -> PageValues {
            [
                "kind": kind, "id": id, "status": status ?? "",
                "amount": PageText.money(amount) ?? "–", "reason": text(reason),
            ]
        }
        func rows(_ kind: String, _ operations: [OperationAnswer]) -> [PageValues] {
            operations.map { row(kind, $0.id, $0.status, $0.amount, $0.reason) }
        }
        let attempts = order.attempts.flatMap { attempt in
            [
                row(
                    "Attempt", attempt.transaction, attempt.status, attempt.amount,
                    attempt.reason)
            ] + rows("Capture", attempt.captures)
        }
        return attempts + rows("Refund", order.refunds)
            + order.refundClaims.map { row("Refund, unclear", $0.id, $0.status, $0.amount) }
            + rows("Dispute", order.disputes) + rows("Reversal", order.reversals)
    }
}
