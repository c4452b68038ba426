import Bytes
import HTTP
import JSON

/// The merchant's own systems, what they were not told, and the hands on it.
struct DestinationsScreen {
    private static let rowsMax = 50
    private static let filters = ["destination", "state", "reference"]

    func page(_ visit: PageVisit) async throws(PageProblem) -> Response {
        let query = visit.query
        let destinations = try await visit.answers.get("/destinations").list("destinations")
        let filter = Self.apiQuery(query)
        let cursor = query["cursor"].map { "&cursor=\(FormFields.encoded($0))" } ?? ""
        let list = try await visit.answers.get(
            "/deliveries?\(filter)&limit=\(Self.rowsMax)\(cursor)")
        let rows = list.list("deliveries").map { delivery($0, visit) }
        var values: PageValues = [
            "destinations": destinations.map { destination($0, visit) },
            "hasNone": destinations.isEmpty, "rows": rows, "isEmpty": rows.isEmpty,
            "names": destinations.compactMap { $0["name"]?.string }.map {
                ["value": $0, "isChosen": $0 == query["destination"]] as PageValues
            },
            "isDead": query["state"] == "dead", "isWaiting": query["state"] == "waiting",
            "reference": query["reference"] ?? "", "undelivered": Self.undelivered(destinations),
            "hidden": Self.hidden(query),
        ]
        if let next = list["next"]?.string {
            values["next"] = query.query(changing: [("cursor", next), ("notice", nil)])
        }
        if query["preview"] != nil, visit.role.mayAct {
            let found = try await visit.answers.post("/deliveries/retry?\(filter)&dryRun=true")
            let count = found["matched"]?.int64 ?? 0
            values["preview"] =
                [
                    "count": PageText.count(count), "isOne": count == 1, "isNone": count == 0,
                    "back": query.query(changing: [("preview", nil)]),
                ] as PageValues
        }
        return visit.page("destinations", .destinations, values)
    }

    func act(
        _ action: String, on name: String, _ visit: PageVisit
    ) async throws(PageProblem) -> Response {
        let answer = try await visit.answers.post(
            "/destinations/\(FormFields.encoded(name))/\(action)")
        let notice: PageNotice
        switch action {
        case "pause": notice = .paused
        case "resume": notice = .resumed
        default: notice = answer["delivered"]?.bool == true ? .tested : .testFailed
        }
        return PageResponse.redirect(
            to: "\(visit.base)destinations?notice=\(notice.rawValue)")
    }

    func retry(_ visit: PageVisit) async throws(PageProblem) -> Response {
        let fields = FormFields(body: visit.request)
        let answer = try await visit.answers.post("/deliveries/retry?\(Self.apiQuery(fields))")
        let notice: PageNotice =
            answer["changed"]?.int64 ?? 0 > 0 ? .retried : .nothingToRetry
        let back = fields.query(changing: [("notice", notice.rawValue)])
        return PageResponse.redirect(to: "\(visit.base)destinations?\(back)")
    }

    private static func apiQuery(_ fields: FormFields) -> String {
        FormFields.query(fields.pairs.filter { filters.contains($0.name) })
    }

    /// The filter, for the form that acts on it.
    private static func hidden(_ query: FormFields) -> [PageValues] {
        query.pairs.filter { filters.contains($0.name) }
            .map { ["name": $0.name, "value": $0.value] }
    }

    /// What the list does not show: events that were not tried yet. Empty where there are none.
    private static func undelivered(_ destinations: [JSONValue]) -> String {
        let count = destinations.reduce(0) { $0 + ($1["waiting"]?.int64 ?? 0) }
        return count == 0 ? "" : PageText.count(count)
    }

    private func destination(_ value: JSONValue, _ visit: PageVisit) -> PageValues {
        let name = value["name"]?.string ?? ""
        let paused = value["paused"]?.string
        let breaker = value["breaker"]?.string ?? "closed"
        let look: StatusLook =
            paused != nil
            ? StatusLook("Paused", "‖", .warn)
            : breaker != "closed"
                ? StatusLook("Failing", "✕", .bad)
                : value["heldUntil"]?.string != nil
                    ? StatusLook("Asked to wait", "◷", .warn)
                    : StatusLook("Delivering", "✓", .good)
        let oldest = value["oldestSeconds"]?.int64 ?? 0
        let dead = value["dead"]?.int64 ?? 0
        let target = "destinations/\(FormFields.encoded(name))"
        var values: PageValues = [
            "id": "t\(name)", "name": name, "status": look.values,
            "servedBy": value["served"]?.bool == true ? "" : value["servedBy"]?.string ?? "nobody",
            "isPaused": paused != nil, "breaker": breaker,
            "lag": PageText.count(value["lag"]?.int64 ?? 0),
            "waiting": PageText.count(value["waiting"]?.int64 ?? 0),
            "dead": PageText.count(dead), "hasDead": dead > 0,
            "deadQuery": FormFields.query([("destination", name), ("state", "dead")]),
            "inFlight": "\(value["inFlight"]?.int64 ?? 0) of \(value["concurrency"]?.int64 ?? 0)",
            "oldest": oldest > 0 ? PageText.span(seconds: Int(oldest)) : "–",
            "trouble": value["trouble"]?.string ?? "",
            "pausePath": "\(visit.base)\(target)/pause",
            "resumePath": "\(visit.base)\(target)/resume",
            "testPath": "\(visit.base)\(target)/test",
        ]
        if let time = PageText.time(value["heldUntil"]?.string) {
            values["held"] = ["time": time] as PageValues
        }
        return values
    }

    private func delivery(_ value: JSONValue, _ visit: PageVisit) -> PageValues {
        let isDead = value["state"]?.string == "dead"
        let reference = value["reference"]?.string
        let last = value["last"]
        var row: PageValues = [
            "id": "e\(value["destination"]?.string ?? "")-\(value["sequence"]?.int64 ?? 0)",
            "destination": value["destination"]?.string ?? "",
            "sequence": PageText.count(value["sequence"]?.int64 ?? 0),
            "name": reference ?? "", "attempts": PageText.count(value["attempts"]?.int64 ?? 0),
            "status": isDead
                ? StatusLook("Dead letter", "✕", .bad).values
                : StatusLook("Waiting", "◷", .wait).values,
            "order": StatusLook(order: value["status"]?.string ?? "").values,
            "reason": [
                last?["status"]?.int64.map { "\($0)" } ?? "",
                StatusLook.plain(last?["reason"]?.string ?? ""),
                last?["detail"]?.string ?? "",
            ].filter { !$0.isEmpty }.joined(separator: ", "),
        ]
        row["path"] = visit.path(
            endpoint: value["endpoint"]?.string ?? "", reference: reference)
        row["due"] = PageText.time(value["due"]?.string)
        return row
    }
}
