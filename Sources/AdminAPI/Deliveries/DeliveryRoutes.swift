import Delivery
import HTTP
import JSON
import Records

/// Destinations and what they were not told yet.
///
/// | path | what |
/// |---|---|
/// | `GET /destinations` | how each stands |
/// | `POST /destinations/{name}/pause`, `resume`, `test` | the hands on one |
/// | `GET /deliveries` | events that wait, dead letters; with `reference`, the order's attempts |
/// | `POST /deliveries/retry`, `resolve` | tries again, or gives up; with `dryRun`, says how many |
struct DeliveryRoutes: Sendable {
    /// Nil where the configuration has no destinations.
    let service: DeliveryService?
    let acts: ActRecorder

    private static let limitDefault = 100
    private static let attemptsMax = 100
    private static let filters = ["destination", "state", "reference", "sequence"]

    func destinations(_ request: Request) async throws(Problem) -> Response {
        _ = try QueryParameters(request, known: [])
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("destinations")
        writer.beginArray()
        for status in await service?.allStatuses() ?? [] {
            status.write(now: acts.clock.wallMicroseconds, to: &writer)
        }
        writer.endArray()
        writer.endObject()
        return .json(200, writer.bytes)
    }

    func act(
        _ action: DestinationAction, on name: String, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: ["reason"])
        let reason = try ActReason.read(parameters)
        guard let service, await names().contains(name) else {
            throw await problem(.unknownDestination(name))
        }
        try await acts.note(
            .init(
                kind: action.kind, caller: caller, reason: reason,
                parameters: [.init("destination", name)]))
        do throws(DeliveryCommandFailure) {
            switch action {
            case .pause: try await service.pause(name)
            case .resume: try await service.resume(name)
            case .test: return Self.answer(try await service.test(name))
            }
        } catch {
            throw Problem(error)
        }
        var writer = JSONWriter()
        let status = await service.allStatuses().first { $0.name == name }
        status?.write(now: acts.clock.wallMicroseconds, to: &writer)
        return .json(200, writer.bytes)
    }

    /// With the names that there are, where one was mistyped.
    private func problem(_ failure: DeliveryCommandFailure) async -> Problem {
        var problem = Problem(failure)
        let known = await names()
        if case .unknownDestination = failure, !known.isEmpty {
            problem.detail += "; known: \(known.joined(separator: ", "))"
        }
        return problem
    }

    private func names() async -> [String] {
        await service?.allStatuses().map(\.name) ?? []
    }

    private static func answer(_ outcome: AttemptOutcome) -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("delivered")
        writer.boolean(outcome.isSuccess)
        AttemptOutcomeSummary(outcome).writeMembers(to: &writer)
        writer.endObject()
        return .json(200, writer.bytes)
    }

    // MARK: Deliveries

    func list(_ request: Request) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: Self.filters + ["cursor", "limit"])
        var query = try Self.query(parameters)
        query.cursor = try parameters.integer("cursor", in: 0...Int64.max)
        query.limit =
            try parameters.integer("limit", in: 1...DeliveryQuery.limitMax) ?? Self.limitDefault
        var list = DeliveryList(deliveries: [], cursor: nil)
        var attempts: [LoggedAttempt]?
        do throws(DeliveryCommandFailure) {
            if let service { list = try await service.deliveries(query) }
            if let reference = query.reference {
                attempts =
                    try await service?.attempts(reference: reference, limit: Self.attemptsMax)
                    .filter { query.destination == nil || $0.destination == query.destination }
            }
        } catch {
            throw await problem(error)
        }
        var writer = JSONWriter(reserving: 128 + list.deliveries.count * 512)
        writer.beginObject()
        writer.key("deliveries")
        writer.beginArray()
        for delivery in list.deliveries { delivery.write(to: &writer) }
        writer.endArray()
        if let attempts {
            writer.key("attempts")
            writer.beginArray()
            for attempt in attempts { attempt.write(to: &writer) }
            writer.endArray()
        }
        writer.key("next")
        if let cursor = list.cursor { writer.string("\(cursor)") } else { writer.null() }
        writer.endObject()
        return .json(200, writer.bytes)
    }

    /// Of dead letters unless `state` says otherwise. Without a filter it is about all of them.
    func change(
        _ change: DeliveryChange, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: Self.filters + ["dryRun", "reason"])
        let reason = try ActReason.read(parameters)
        var query = try Self.query(parameters)
        query.state = query.state ?? .dead
        let isDry = try parameters.flag("dryRun")
        if change == .resolve, query.state != .dead {
            throw parameters.invalid("state", "dead: what waits is not given up")
        }
        var matched = 0
        var changed = 0
        if let service {
            do throws(DeliveryCommandFailure) {
                matched = try await service.count(query)
            } catch {
                throw await problem(error)
            }
            if !isDry {
                try await note(change, query, by: caller, reason)
                changed = try await Self.apply(change, query, service)
            }
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("matched")
        writer.integer(matched)
        writer.key("changed")
        writer.integer(changed)
        writer.endObject()
        return .json(200, writer.bytes)
    }

    private static func apply(
        _ change: DeliveryChange, _ query: DeliveryQuery, _ service: DeliveryService
    ) async throws(Problem) -> Int {
        do throws(DeliveryCommandFailure) {
            switch change {
            case .retry: return try await service.retry(query)
            case .resolve: return try await service.resolve(query)
            }
        } catch {
            throw Problem(error)
        }
    }

    /// With the order, where the act is about one reference.
    private func note(
        _ change: DeliveryChange, _ query: DeliveryQuery, by caller: AdminCaller, _ reason: String
    ) async throws(Problem) {
        let filters: [(String, String?)] = [
            ("destination", query.destination), ("state", query.state?.rawValue),
            ("reference", query.reference), ("sequence", query.sequence.map { "\($0)" }),
        ]
        let deed = ActRecorder.Deed(
            kind: change.kind, caller: caller, reason: reason,
            parameters: filters.compactMap { name, value in value.map { .init(name, $0) } })
        guard let reference = query.reference else { return _ = try await acts.note(deed) }
        try await acts.note(deed, ofAll: reference)
    }

    private static func query(_ parameters: QueryParameters) throws(Problem) -> DeliveryQuery {
        var query = DeliveryQuery()
        // Nothing has an empty name: a script whose variable is empty must not act on everything.
        query.destination = parameters["destination"]
        if query.destination?.utf8.isEmpty == true {
            throw parameters.invalid("destination", "a destination's name")
        }
        query.reference = parameters["reference"]
        if query.reference?.utf8.isEmpty == true {
            throw parameters.invalid("reference", "an order's whole reference")
        }
        query.sequence = try parameters.integer("sequence", in: 1...UInt64(Int64.max))
        if let word = parameters["state"] {
            guard let state = PendingDelivery.State(rawValue: word) else {
                throw parameters.invalid("state", "waiting or dead")
            }
            query.state = state
        }
        return query
    }
}

/// What is done with a destination.
enum DestinationAction: String {
    case pause, resume, test

    /// What its record calls it.
    var kind: RecordedAction.Kind {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .test: .test
        }
    }
}

/// What is done with deliveries.
enum DeliveryChange: String {
    case retry, resolve

    /// What its record calls it.
    var kind: RecordedAction.Kind { self == .retry ? .retry : .giveUp }
}

extension Problem {
    init(_ failure: DeliveryCommandFailure) {
        switch failure {
        case .unknownDestination(let name):
            self.init(
                404, "destination_unknown", "the configuration has no destination “\(name)”")
        case .notServed(let name):
            self = .unavailable(
                "destination_not_served",
                "no instance delivers to “\(name)” now, so nothing was changed: try again")
        case .state(let failure):
            self = .unavailable("delivery_state_unavailable", "\(failure)")
        }
    }
}
