import AdminAPI
import Delivery
import HTTP
import Payments
import Store

/// The recorded events, newest first, and one of them with its request and its deliveries.
struct EventsScreen {
    let sources: PageSources

    private static let rowsMax = 50
    /// Records that one page reads to fill its rows.
    private static let scanMax = 5000
    private static let filters = ["kind", "status", "outcome", "endpoint"]
    private static let kinds = [
        "payment", "capture", "refund", "dispute", "reversal", "inquiry", "expectation",
        "correction", "action",
    ]
    private static let outcomes = [
        ("recorded", "Counted"), ("conflict", "Contradiction"), ("ignored", "No effect"),
    ]

    func page(_ visit: PageVisit) async throws(Problem) -> Response {
        let query = visit.query
        let (events, next) = try await visit.api.newestEvents(
            before: try number("before", query), limit: Self.rowsMax, scanMax: Self.scanMax
        ) { Self.matches($0, query) }
        let chosen = try number("id", query)
        var values: PageValues = [
            "rows": events.map { row($0, chosen, visit) }, "isEmpty": events.isEmpty,
            "scanned": PageText.count(Self.scanMax),
            "isFiltered": Self.filters.contains { query[$0] != nil },
            "kinds": choices("kind", Self.kinds.map { ($0, StatusLook.plain($0)) }, query),
            "outcomes": choices("outcome", Self.outcomes, query),
            "statuses": choices(
                "status",
                OrderStatus.allCases.map { ($0.rawValue, StatusLook(order: $0.rawValue).word) },
                query),
            "endpoints": choices("endpoint", sources.endpoints().map { ($0.name, $0.name) }, query),
        ]
        if let next {
            values["next"] = query.query(changing: [("before", String(next)), ("id", nil)])
        }
        if query["before"] != nil {
            values["first"] = query.query(changing: [("before", nil), ("id", nil)])
        }
        if let chosen { values["chosen"] = try await detail(chosen, visit) }
        return visit.page("events", .events, values)
    }

    private func number(_ name: String, _ query: FormFields) throws(Problem) -> UInt64? {
        guard let text = query[name] else { return nil }
        guard let number = UInt64(text), number > 0, number <= UInt64(Int64.max) else {
            throw Problem(400, "parameter_invalid", "`\(name)` must be the number of a record.")
        }
        return number
    }

    private func choices(
        _ name: String, _ all: [(value: String, word: String)], _ query: FormFields
    ) -> [PageValues] {
        all.map { ["value": $0.value, "word": $0.word, "isChosen": $0.value == query[name]] }
    }

    private static func matches(_ event: EventAnswer, _ query: FormFields) -> Bool {
        func admits(_ name: String, _ value: String?) -> Bool {
            query[name].map { $0 == value } ?? true
        }
        return admits("kind", event.event.kind) && admits("endpoint", event.endpoint)
            && admits("status", event.order?.status) && admits("outcome", event.outcome)
    }

    private func row(_ event: EventAnswer, _ chosen: UInt64?, _ visit: PageVisit) -> PageValues {
        var row = OrderTimeline.item(event, visit)
        row["id"] = "\(event.sequence)"
        row["number"] = PageText.count(event.sequence)
        row["isChosen"] = event.sequence == chosen
        row["endpoint"] = event.endpoint
        row["query"] = visit.query.query(changing: [("id", String(event.sequence))])
        row["requests"] = nil
        row["status"] = event.order.map { StatusLook(order: $0.status).values }
        for (name, value) in order(event, visit) ?? [:] { row[name] = value }
        return row
    }

    /// The name of the event's order, and the path of its page.
    private func order(_ event: EventAnswer, _ visit: PageVisit) -> PageValues? {
        guard let order = event.order else { return nil }
        guard let name = order.reference ?? event.event.transaction else { return nil }
        let reference = order.reference ?? "~\(name)"
        return [
            "name": name,
            "path": visit.path(endpoint: event.endpoint, reference: reference) ?? "",
        ]
    }

    // MARK: One event

    private func detail(_ sequence: UInt64, _ visit: PageVisit) async throws(Problem) -> PageValues
    {
        let found = try await visit.api.events(after: sequence - 1, limit: 1).first
        guard let found, found.sequence == sequence else {
            throw Problem(404, "record_unknown", "There is no such record, or it was archived.")
        }
        let event = try await visit.api.withRequest(found)
        var values: PageValues = [
            "number": PageText.count(sequence), "entry": [OrderTimeline.item(event, visit)],
        ]
        values["order"] = order(event, visit)
        let states = try await visit.api.whereabouts(of: sequence)
        values["hasDestinations"] = !states.isEmpty
        let attempts = await OrderTimeline.deliveries(of: event, visit)
        values["destinations"] = states.map { state in
            let tried = attempts.contains { $0.destination == state.destination }
            return ["name": state.destination, "state": Self.words(state.state, tried)]
                as PageValues
        }
        if !attempts.isEmpty {
            values["attempts"] = ["items": attempts.map(\.values)] as PageValues
        }
        return values
    }

    /// - Parameter wasTried: Whether an attempt is known.
    private static func words(_ state: EventWhereabouts.State, _ wasTried: Bool) -> String {
        switch state {
        case .excluded: "not delivered: the destination's filter leaves it out"
        case .ahead: "not sent yet"
        case .waiting: "waits for its next attempt, or for an earlier event of its order"
        case .dead: "dead letter: refused at every attempt"
        case .passed where wasTried: "delivered or given up; see the attempts"
        case .passed:
            "delivered at the first attempt, unless it is older than the destination"
        }
    }
}
