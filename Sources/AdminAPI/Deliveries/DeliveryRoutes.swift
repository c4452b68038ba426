import Delivery
import HTTP
import Records

/// Destinations and their undelivered events.
///
/// | path | effect |
/// |---|---|
/// | `GET /destinations` | lists the state of each |
/// | `POST /destinations/{name}/pause`, `resume`, `test` | acts on one |
/// | `GET /deliveries` | lists waiting events and dead letters; with `reference` also attempts |
/// | `POST /deliveries/retry`, `resolve` | retries or gives up; with `dryRun` only counts |
/// | `POST /deliveries/resend` | delivers recorded events again (`ResendRoutes`) |
struct DeliveryRoutes: Sendable {
    /// Nil where the configuration has no destinations.
    let service: DeliveryService?
    let acts: ActRecorder

    private static let limitDefault = 100
    private static let attemptsMax = 100
    static let filters = ["destination", "state", "reference", "sequence"]
    static let listParameters = filters + ["cursor", "limit"]

    // MARK: Destinations

    func destinations(_ request: Request) async throws(Problem) -> Response {
        _ = try QueryParameters(request, known: [])
        var answer = DestinationListAnswer()
        answer.destinations = await destinations()
        return .json(200, answer.json())
    }

    func destinations() async -> [DestinationAnswer] {
        let now = acts.clock.wallMicroseconds
        return await service?.allStatuses().map { DestinationAnswer($0, now: now) } ?? []
    }

    func run(
        _ command: DestinationCommand, on name: String, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: ["reason"])
        let reason = try ActReason.read(parameters)
        if let test = try await run(command, on: name, reason: reason, by: caller) {
            return .json(200, test.json())
        }
        let destination = await destinations().first { $0.name == name }
        return .json(200, destination?.json() ?? [])
    }

    /// Returns the result of a test; nil for the other commands.
    func run(
        _ command: DestinationCommand, on name: String, reason: String, by caller: AdminCaller
    ) async throws(Problem) -> DeliveryTestAnswer? {
        guard let service, await names().contains(name) else {
            throw await problem(.unknownDestination(name))
        }
        try await acts.note(
            .init(
                kind: command.kind, caller: caller, reason: reason,
                parameters: [.init("destination", name)]))
        do throws(DeliveryCommandFailure) {
            switch command {
            case .pause: try await service.pause(name)
            case .resume: try await service.resume(name)
            case .test: return DeliveryTestAnswer(try await service.test(name))
            }
            return nil
        } catch {
            throw Problem(error)
        }
    }

    /// The problem; with the known names, where a name was mistyped.
    func problem(_ failure: DeliveryCommandFailure) async -> Problem {
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

    // MARK: Deliveries

    func list(_ request: Request) async throws(Problem) -> Response {
        let answer = try await list(QueryParameters(request, known: Self.listParameters))
        return .json(200, answer.json(reserving: 128 + answer.deliveries.count * 512))
    }

    func list(_ parameters: QueryParameters) async throws(Problem) -> DeliveryListAnswer {
        var query = try Self.query(parameters)
        query.cursor = try parameters.integer("cursor", in: 0...Int64.max)
        query.limit =
            try parameters.integer("limit", in: 1...DeliveryQuery.limitMax) ?? Self.limitDefault
        var answer = DeliveryListAnswer()
        guard let service else { return answer }
        do throws(DeliveryCommandFailure) {
            let list = try await service.deliveries(query)
            answer.deliveries = list.deliveries.map(DeliveryAnswer.init)
            answer.next = list.cursor.map { "\($0)" }
            if let reference = query.reference {
                answer.attempts =
                    try await service.attempts(reference: reference, limit: Self.attemptsMax)
                    .filter { query.destination == nil || $0.destination == query.destination }
                    .map(DeliveryAttemptAnswer.init)
            }
        } catch {
            throw await problem(error)
        }
        return answer
    }

    func change(
        _ change: DeliveryChange, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        if change == .resend { return try await resend(request, by: caller) }
        let parameters = try QueryParameters(request, known: Self.filters + ["dryRun", "reason"])
        let reason = try ActReason.read(parameters)
        let answer = try await self.change(
            change, parameters, isDry: parameters.flag("dryRun"), reason: reason, by: caller)
        return .json(200, answer.json())
    }

    /// Changes dead letters, unless `state` names others. Without a filter it changes all of them.
    func change(
        _ change: DeliveryChange, _ parameters: QueryParameters, isDry: Bool, reason: String,
        by caller: AdminCaller
    ) async throws(Problem) -> DeliveryChangeAnswer {
        var query = try Self.query(parameters)
        query.state = query.state ?? .dead
        if change == .resolve, query.state != .dead {
            throw parameters.invalid("state", "dead: waiting events cannot be given up")
        }
        var answer = DeliveryChangeAnswer()
        guard let service else { return answer }
        do throws(DeliveryCommandFailure) {
            answer.matched = try await service.count(query)
        } catch {
            throw await problem(error)
        }
        guard !isDry else { return answer }
        try await note(change, query, by: caller, reason)
        do throws(DeliveryCommandFailure) {
            switch change {
            case .retry: answer.changed = try await service.retry(query)
            case .resolve: answer.changed = try await service.resolve(query)
            // `resend` has other parameters.
            case .resend: break
            }
        } catch {
            throw Problem(error)
        }
        return answer
    }

    /// Records the act, with the order where it is about one reference.
    private func note(
        _ change: DeliveryChange, _ query: DeliveryQuery, by caller: AdminCaller, _ reason: String
    ) async throws(Problem) {
        let filters: [(String, String?)] = [
            ("destination", query.destination), ("state", query.state?.rawValue),
            ("reference", query.reference), ("sequence", query.sequence.map { "\($0)" }),
        ]
        let draft = ActRecorder.Draft(
            kind: change.kind, caller: caller, reason: reason,
            parameters: filters.compactMap { name, value in value.map { .init(name, $0) } })
        guard let reference = query.reference else { return _ = try await acts.note(draft) }
        try await acts.note(draft, ofAll: reference)
    }

    private static func query(_ parameters: QueryParameters) throws(Problem) -> DeliveryQuery {
        var query = DeliveryQuery()
        // An empty name is refused: a script whose variable is empty must not change everything.
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

/// A command for one destination.
enum DestinationCommand: String {
    case pause, resume, test

    /// The kind of act in its record.
    var kind: RecordedAction.Kind {
        switch self {
        case .pause: .pause
        case .resume: .resume
        case .test: .test
        }
    }
}

/// A change of undelivered events, or of delivered ones.
enum DeliveryChange: String {
    case retry, resolve, resend

    /// The kind of act in its record.
    var kind: RecordedAction.Kind {
        switch self {
        case .retry: .retry
        case .resolve: .giveUp
        case .resend: .resend
        }
    }
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
