import JSON

/// A line of a list of orders.
enum OrderRow {
    /// Of an answer of `GET /orders`; none where there is no answer.
    static func rows(_ answer: JSONValue?, _ visit: PageVisit) -> [PageValues] {
        answer?.list("orders").map { row($0, visit) } ?? []
    }

    static func row(_ order: JSONValue, _ visit: PageVisit) -> PageValues {
        let endpoint = order["endpoint"]?.string ?? ""
        let reference = order["reference"]?.string
        let refunded = PageText.amount(order["refunded"])
        let flags = order.list("flags").compactMap(\.string)
        var row: PageValues = [
            "id": "o\(order["first"]?.int64 ?? 0)",
            "name": reference ?? order["transaction"]?.string ?? "unjoined",
            "endpoint": endpoint,
            "status": StatusLook(order: order["status"]?.string ?? "").values,
            "amount": PageText.money(order["amount"]) ?? "–",
            "refunded": refunded.map { $0.minor == 0 ? "" : PageText.money($0) } ?? "",
            "flags": flags.map { StatusLook.plain($0) },
            "last": order["last"]?.int64 ?? 0,
        ]
        let name = reference ?? order["transaction"]?.string.map { "~\($0)" }
        row["path"] = visit.path(endpoint: endpoint, reference: name)
        row["updated"] = PageText.time(order["updated"]?.string)
        return row
    }
}
