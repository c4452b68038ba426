import HTTP
import JSON
import Payments

/// The list of orders: what is looked for stands in the URL, so a list can be passed on as a link.
struct OrdersScreen {
    let sources: PageSources

    private static let rowsMax = 50
    /// The fields that go to the API as they are.
    private static let filters = [
        "endpoint", "status", "flag", "currency", "amountMin", "amountMax", "reference",
    ]

    func page(_ visit: PageVisit) async throws(PageProblem) -> Response {
        let query = visit.query
        let answer = try await answer(visit)
        let rows = OrderRow.rows(answer, visit)
        var values: PageValues = [
            "rows": rows, "isEmpty": rows.isEmpty, "text": query["text"] ?? "",
            "from": query["from"] ?? "", "to": query["to"] ?? "",
            "statuses": Self.choices(
                Self.statuses, query["status"], word: { StatusLook(order: $0).word }),
            "flags": Self.choices(Self.flags, query["flag"], word: { StatusLook.plain($0) }),
            "endpoints": Self.choices(
                sources.endpoints().map(\.name), query["endpoint"], word: { $0 }),
            "isFiltered": query.pairs.contains { $0.name != "cursor" },
            "export": query.query(changing: [("cursor", nil), ("notice", nil)]),
            "tabs": tabs(query),
        ]
        if let next = answer["next"]?.string {
            values["next"] = query.query(changing: [("cursor", next)])
        }
        if query["cursor"] != nil { values["first"] = query.query(changing: [("cursor", nil)]) }
        return visit.page("orders", .orders, values)
    }

    /// A whole reference, or an alias of it, comes before those that contain the text.
    private func answer(_ visit: PageVisit) async throws(PageProblem) -> JSONValue {
        let query = visit.query
        let limit = "limit=\(Self.rowsMax)"
        if let text = query["text"], query["cursor"] == nil {
            let exact = Self.apiQuery(query, adding: [("reference", text)], without: "text")
            let found = try await visit.answers.get("/orders?\(exact)&\(limit)")
            if !found.list("orders").isEmpty { return found }
        }
        return try await visit.answers.get("/orders?\(Self.apiQuery(query))&\(limit)")
    }

    func export(_ visit: PageVisit) async -> Response {
        var response = await visit.answers.response(
            "/orders?\(Self.apiQuery(visit.query))", accept: "text/csv")
        response.fields += PageResponse.security
        if response.status == 200 {
            response.fields.append(
                ("Content-Disposition", "attachment; filename=\"orders.csv\""))
        }
        return response
    }

    /// The API's query: a day of the form is the day in UTC, its end included.
    static func apiQuery(
        _ query: FormFields, adding: [(name: String, value: String)] = [], without: String = ""
    ) -> String {
        var pairs = query.pairs.filter {
            (filters + ["text", "cursor"]).contains($0.name) && $0.name != without
        }
        if let from = query["from"] { pairs.append(("from", day(from, isEnd: false))) }
        if let to = query["to"] { pairs.append(("to", day(to, isEnd: true))) }
        return FormFields.query(pairs + adding)
    }

    private static func day(_ text: String, isEnd: Bool) -> String {
        guard text.utf8.count == 10, let start = Timestamp(iso8601: "\(text)T00:00:00Z") else {
            return text
        }
        let dayMicroseconds: Int64 = 86_400_000_000
        return Timestamp(microseconds: start.microseconds + (isEnd ? dayMicroseconds : 0)).rfc3339
    }

    private static let statuses = OrderStatus.allCases.map(\.rawValue)
    private static let flags = Flag.allCases.map(\.rawValue) + ["overdue"]

    private static func choices(
        _ all: [String], _ chosen: String?, word: (String) -> String
    ) -> [PageValues] {
        all.map { ["value": $0, "word": word($0), "isChosen": $0 == chosen] }
    }

    /// The lists that are looked at most.
    private func tabs(_ query: FormFields) -> [PageValues] {
        let tabs: [(String, String?, String?)] = [
            ("All", nil, nil), ("To look at", "review,disputed,charged_back", nil),
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
