import Store

/// A row of a list of orders.
enum OrderListRow {
    static func row(_ order: ListedOrder, _ visit: PageVisit) -> PageValues {
        var row: PageValues = [
            "id": "o\(order.first)",
            "name": order.reference ?? order.transaction ?? "unjoined",
            "endpoint": order.endpoint,
            "status": StatusLook(order: order.status).values,
            "amount": PageText.money(order.amount) ?? (order.expected == nil ? "–" : ""),
            "refunded": order.refunded.map { $0.minor == 0 ? "" : PageText.money($0) } ?? "",
            "flags": order.flags.map { StatusLook.plain($0) }, "hasFlags": !order.flags.isEmpty,
            "last": order.last, "updated": PageText.time(order.updated),
        ]
        row["path"] = path(order, visit)
        if order.amount == nil { row["expected"] = PageText.money(order.expected) }
        return row
    }

    /// The path of the order's page; nil while nothing leads to it.
    static func path(_ order: ListedOrder, _ visit: PageVisit) -> String? {
        visit.path(
            endpoint: order.endpoint,
            reference: order.reference ?? order.transaction.map { "~\($0)" })
    }
}
