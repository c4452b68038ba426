import AdminAPI
import HTTP
import Payments
import Store

/// The list of orders. Its URL contains all filters, so that a list can be shared as a link.
struct OrdersScreen {
    let sources: PageSources

    private static let rowsMax = 50
    /// The field of the search in the header of every page.
    private static let find = "find"
    /// The fields that are passed to the API unchanged.
    private static let filters = [
        "endpoint", "status", "flag", "currency", "amountMin", "amountMax", "reference", "text",
        "cursor",
    ]

    func page(_ visit: PageVisit) async throws(Problem) -> Response {
        if let text = visit.query[Self.find] { return try await find(text, visit) }
        let query = visit.query
        let list = try await list(visit)
        let rows = list.orders.map { OrderListRow.row($0, visit) }
        var values: PageValues = [
            "rows": rows, "isEmpty": rows.isEmpty, "text": query["text"] ?? "",
            "from": query["from"] ?? "", "to": query["to"] ?? "",
            "zone": query["zone"] ?? "",
            "statuses": Self.choices(
                Self.statuses, query["status"], word: { StatusLook(order: $0).word }),
            "flags": Self.choices(Self.flags, query["flag"], word: { StatusLook.plain($0) }),
            "endpoints": Self.choices(
                sources.endpoints().map(\.name), query["endpoint"], word: { $0 }),
            "isFiltered": query.pairs.contains { $0.name != "cursor" && $0.name != "zone" },
            "export": query.query(changing: [("cursor", nil), ("notice", nil)]),
            "tabs": tabs(query),
        ]
        if let next = list.next { values["next"] = query.query(changing: [("cursor", next)]) }
        if query["cursor"] != nil { values["first"] = query.query(changing: [("cursor", nil)]) }
        return visit.page("orders", .orders, values)
    }

    /// An order whose whole reference or alias is the text takes precedence over orders that
    /// contain the text.
    private func list(_ visit: PageVisit) async throws(Problem) -> OrderListAnswer {
        let parameters = Self.parameters(visit.query) + [("limit", "\(Self.rowsMax)")]
        if let text = visit.query["text"], visit.query["cursor"] == nil {
            let exact = parameters.filter { $0.name != "text" } + [("reference", text)]
            let found = try await visit.api.orders(exact)
            if !found.orders.isEmpty { return found }
        }
        return try await visit.api.orders(parameters)
    }

    /// The order that a text leads to, or the list of those that contain it.
    private func find(_ text: String, _ visit: PageVisit) async throws(Problem) -> Response {
        let found = try await visit.api.orders([("reference", text), ("limit", "2")]).orders
        if found.count == 1, let path = OrderListRow.path(found[0], visit) {
            return PageResponse.redirect(to: path)
        }
        let query = FormFields(query: []).query(changing: [("text", text)])
        return PageResponse.redirect(to: "\(visit.base)orders?\(query)")
    }

    func export(_ visit: PageVisit) async throws(Problem) -> Response {
        var response = try await visit.api.exportOrders(Self.parameters(visit.query))
        response.fields += PageResponse.security
        response.fields.append(("Content-Disposition", "attachment; filename=\"orders.csv\""))
        return response
    }

    /// The parameters of the API. A day of the form is a day in the reader's time zone, whose
    /// offset the script adds, else in UTC; the last day is included.
    private static func parameters(_ query: FormFields) -> LocalClient.Parameters {
        var pairs = query.only(filters)
        if let from = query["from"] {
            pairs.append(("from", day(from, query["zone"], isEnd: false)))
        }
        if let to = query["to"] { pairs.append(("to", day(to, query["zone"], isEnd: true))) }
        return pairs
    }

    private static func day(_ text: String, _ zone: String?, isEnd: Bool) -> String {
        guard text.utf8.count == 10, let start = Timestamp(iso8601: "\(text)T00:00:00Z") else {
            return text
        }
        let dayMicroseconds: Int64 = 86_400_000_000
        // No place is more than 14 hours from UTC.
        let minutes = zone.flatMap { Int64($0) }.map { max(-840, min(840, $0)) } ?? 0
        let end = isEnd ? dayMicroseconds : 0
        return Timestamp(microseconds: start.microseconds - minutes * 60_000_000 + end).rfc3339
    }

    private static let statuses = OrderStatus.allCases.map(\.rawValue)
    private static let flags = Flag.allCases.map(\.rawValue) + [Overdue.flag]

    private static func choices(
        _ all: [String], _ chosen: String?, word: (String) -> String
    ) -> [PageValues] {
        all.map { ["value": $0, "word": word($0), "isChosen": $0 == chosen] }
    }

    /// The most used lists.
    private func tabs(_ query: FormFields) -> [PageValues] {
        let tabs: [(String, String?, String?)] = [
            ("All", nil, nil), ("Needs attention", NowScreen.attention, nil),
            ("Pending", "pending", nil), ("Paid", "paid", nil),
            ("Refunded", "refunded,partially_refunded", nil),
            ("Failed", "failed,canceled,expired", nil), ("Overdue", nil, "overdue"),
        ]
        return tabs.map { word, status, flag in
            [
                "word": word,
                "query": query.query(changing: [
                    ("status", status), ("flag", flag), ("cursor", nil), ("notice", nil),
                ]),
                "isHere": query["status"] == status && query["flag"] == flag,
            ]
        }
    }
}
