import AdminAPI
import Bytes
import HTTP
import JSON
import Store

/// One order: its sums, what to do about it, and everything that was heard of it.
struct OrderScreen {
    let endpoint: String
    let reference: String
    /// Whether the provider can be asked about it.
    var canInquire = false

    private var target: String {
        let path = OrderPath.of(OrderName(endpoint: endpoint, reference: reference))
        return "/\(path)\(path.contains("?") ? "&" : "?")repetitions=true"
    }

    func page(_ visit: PageVisit) async throws(PageProblem) -> Response {
        let order = try await visit.answers.get(target)
        let own = order["reference"]?.string ?? reference
        let status = order["status"]?.string ?? ""
        let flags = order.list("flags").compactMap(\.string)
        let timeline = try await OrderTimeline.read(order, visit)
        var values: PageValues = [
            "title": own, "reference": own, "endpoint": endpoint,
            "status": StatusLook(order: status).values,
            "sums": sums(order), "timeline": timeline.items, "facts": await facts(order, visit),
            "flags": flags.map { flag in
                [
                    "word": StatusLook.plain(flag),
                    "advice": Self.parts(FlagAdvice.sentences[flag] ?? "See config/orders.md."),
                ] as PageValues
            },
            "hasFlags": !flags.isEmpty, "isReview": status == "review",
            "why": ReviewSentence.of(flags), "things": things(order),
        ]
        if canInquire, visit.role.mayAct {
            values["inquire"] = visit.path(endpoint: endpoint, reference: own, act: "inquire")
        }
        // People decide about orders that have a reference.
        if visit.role.mayAct, order["reference"]?.string != nil {
            values["acts"] = OrderActs(endpoint: endpoint, reference: own).forms(of: order, visit)
        }
        values["counting"] = PageText.time(order["repetitions"]?["since"]?.string)
        if timeline.hidden > 0 {
            values["older"] = ["count": PageText.count(timeline.hidden)] as PageValues
        }
        return visit.page("order", .orders, values)
    }

    /// A sentence and the words of the API in it, which stand between backquotes.
    private static func parts(_ sentence: String) -> [PageValues] {
        sentence.split(separator: "`", omittingEmptySubsequences: false).enumerated().map {
            ["text": String($1), "isCode": !$0.isMultiple(of: 2)]
        }
    }

    private func sums(_ order: JSONValue) -> [PageValues] {
        let expected = order["expected"]
        let sums: [(String, JSONValue?)] = [
            ("Expected", expected?["amount"]), ("Authorised", order["authorized"]),
            ("Captured", order["captured"]), ("Refunded", order["refunded"]),
        ]
        return sums.map { name, value in
            let amount = PageText.amount(value)
            return [
                "name": name, "value": amount.map { PageText.money($0) } ?? "–" as String,
                "isNothing": (amount?.minor ?? 0) == 0,
            ]
        }
    }

    private func facts(_ order: JSONValue, _ visit: PageVisit) async -> [PageValues] {
        var facts: [(String, String)] = [("Amount", PageText.money(order["amount"]) ?? "unknown")]
        func list(_ key: StaticString) -> String {
            order.list(key).compactMap { PageText.money($0) }.joined(separator: ", ")
        }
        facts.append(("Claims", list("claims")))
        facts.append(("Candidates", list("candidates")))
        facts.append(("Expected until", order["expected"]?["expires"]?.string ?? ""))
        facts.append(("Reason", Self.reason(order)))
        facts.append(("Paid by", order["method"]?.string ?? ""))
        facts.append(("Agreement", order["agreement"]?.string ?? ""))
        facts.append(
            ("Also known as", order.list("aliases").compactMap(\.string).joined(separator: ", ")))
        if visit.role.seesRequests {
            let query = FormFields.query([("endpoint", endpoint), ("reference", reference)])
            let listed = try? await visit.answers.get("/orders?\(query)&limit=1")
            let metadata = listed?.list("orders").first?["expected"]?["metadata"]
            facts.append(
                ("Metadata", metadata.map { String(decoding: $0.rawBytes, as: UTF8.self) } ?? ""))
        }
        return facts.filter { !$0.1.isEmpty }.map { ["name": $0.0, "value": $0.1] }
    }

    static func reason(_ value: JSONValue) -> String {
        guard let reason = value["reason"] else { return "" }
        return [reason["code"]?.string ?? "", reason["message"]?.string ?? ""]
            .filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// Attempts, captures, refunds, disputes and reversals, in one table.
    private func things(_ order: JSONValue) -> [PageValues] {
        var rows: [(String, JSONValue)] = []
        for attempt in order.list("attempts") {
            rows.append(("Attempt", attempt))
            rows += attempt.list("captures").map { ("Capture", $0) }
        }
        rows += order.list("refunds").map { ("Refund", $0) }
        rows += order.list("refundClaims").map { ("Refund, unclear", $0) }
        rows += order.list("disputes").map { ("Dispute", $0) }
        rows += order.list("reversals").map { ("Reversal", $0) }
        return rows.map { kind, thing in
            let own: String = thing["id"]?.string ?? thing["transaction"]?.string ?? ""
            let status: String = thing["status"]?.string ?? ""
            let amount: String = PageText.money(thing["amount"]) ?? "–"
            return [
                "kind": kind, "id": own, "status": status,
                "amount": amount, "reason": Self.reason(thing),
            ]
        }
    }
}
