import Delivery
import HTTP
import HTTPServer
import Inquiry
import Platform
import Store

/// The admin API: health, metrics, orders and events, on a separate listener.
///
/// | path | methods | answer |
/// |---|---|---|
/// | `/healthz`, `/readyz` | GET | health, without a token |
/// | `/metrics` | GET | Prometheus text |
/// | `/audit` | GET | the audit trail, newest first |
/// | `/orders` | GET | list or export |
/// | `/orders/{endpoint}/{reference}` | GET, POST | one order; registers an expectation |
/// | `/orders/{endpoint}/{reference}/inquire` | POST | asks the provider |
/// | `/endpoints/{endpoint}/backfill` | POST | reads a page of the provider's events |
/// | `/orders/{endpoint}/{reference}/resolve`, `correct`, `split` | POST | a person's decision |
/// | `/orders/{endpoint}/{reference}/erase`, `/erasures` | POST | erases personal data |
/// | `/expectations/{endpoint}/{reference}` | PUT | as `correct`, with `If-Match` |
/// | `/events` | GET | the feed |
/// | `/destinations`, `/deliveries` | GET | state of deliveries to the merchant's systems |
/// | `/destinations/{name}/{command}`, `/deliveries/{change}` | POST | acts on them |
package struct AdminHandler: RequestHandler {
    private let routes: AdminRoutes
    private let access: AdminAccess
    private let gate: TokenGate
    private let audit: AuditLog?

    /// - Parameters:
    ///   - waiting: Places for long polls and streams; they outlive a reload.
    ///   - audit: Nil keeps no audit trail.
    ///   - rejections: Erases refused requests.
    package init(
        store: any Store, endpoints: EndpointCatalog, feed: EventFeed, lists: any OrderLists,
        deliveries: DeliveryService? = nil, inquiries: InquiryService? = nil,
        repetitions: Repetitions, pages: AdminPages, access: AdminAccess,
        gate: TokenGate, waiting: WaitingPlaces, outcomes: OutcomeTokens? = nil,
        audit: AuditLog? = nil, rejections: RejectionEraser = .none,
        listWaitMillisecondsMax: Int, clock: any Clock
    ) {
        let acts = ActRecorder(store: store, endpoints: endpoints, clock: clock)
        routes = AdminRoutes(
            orders: OrderRoutes(
                store: store, endpoints: endpoints, inquiries: inquiries,
                repetitions: repetitions, clock: clock, waiting: waiting,
                outcomes: outcomes),
            list: OrderListRoutes(
                lists: lists, store: store, waitMillisecondsMax: listWaitMillisecondsMax,
                clock: clock),
            events: EventRoutes(
                feed: feed, commitFeed: store.commitFeed, clock: clock, waiting: waiting),
            deliveries: DeliveryRoutes(service: deliveries, acts: acts),
            inquiries: InquiryRoutes(service: inquiries, store: store, acts: acts),
            decisions: OrderActRoutes(acts: acts),
            erasure: ErasureRoutes(
                acts: acts, feed: feed, deliveries: deliveries, rejections: rejections),
            audit: AuditRoutes(log: audit), pages: pages)
        self.audit = audit
        self.access = access
        self.gate = gate
    }

    /// The API for a caller whom the pages have authenticated by a session.
    package func client(_ caller: AdminCaller) -> LocalClient {
        LocalClient(routes: routes, caller: caller)
    }

    package func respond(to request: Request, in context: RequestContext) async -> Response {
        do throws(Problem) {
            guard access.trustsHost(of: request, context) else { throw .hostUnknown }
            let caller = try recognised(request, context)
            return try await answer(request, context, caller).isolated
        } catch {
            return error.response.isolated
        }
    }

    /// The server answers and logs its own refusals; they are not counted here.
    package func refused(_ reason: String, status: Int?, in context: RequestContext) {}

    package func answer(to error: HTTPError, path: ArraySlice<UInt8>?) -> Response {
        Problem(error, path: path).response.isolated
    }

    private func answer(
        _ request: Request, _ context: RequestContext, _ caller: AdminCaller?
    ) async throws(Problem) -> Response {
        let (route, request) = try Route.of(request)
        try route.check(request.method)
        // Load balancers ask for health without a token. It reveals nothing about orders.
        switch route {
        case .healthz: return .plain(200, "ok\n")
        case .readyz: return routes.pages.readiness()
        default: break
        }
        guard let caller else { throw .tokenRequired }
        guard let audited = AuditedRequest(route, request, by: caller) else {
            return try await answer(route, request, context, caller)
        }
        let isReading = Route.reading.contains(request.method)
        do throws(Problem) {
            let response = try await answer(route, request, context, caller)
            let isRecorded = record(audited, by: caller, response.status)
            // An act is done and is in the store; a look is not shown.
            guard isRecorded || !isReading else { throw Problem.auditUnavailable }
            return response
        } catch {
            if error != .auditUnavailable { record(audited, by: caller, error.status) }
            throw error
        }
    }

    @discardableResult
    private func record(_ request: AuditedRequest, by caller: AdminCaller, _ status: Int) -> Bool {
        guard let audit else { return true }
        let entry = AuditEntry(request.what, by: caller, on: request.on, result: status)
        return audit.add(entry, isProgram: PersonName.reserved.contains(caller.name))
    }

    /// The caller. Counts and records a token or an identity that is not accepted.
    private func recognised(
        _ request: Request, _ context: RequestContext
    ) throws(Problem) -> AdminCaller? {
        let remote = context.clientText
        do throws(Problem) {
            if let caller = try access.caller(of: request, context) { return caller }
        } catch {
            audit?.add(AuditEntry(.identityRefused, by: "", from: remote, result: error.status))
            throw error
        }
        guard access.showsToken(request) else { return nil }
        let seconds = gate.noteWrong(.bearer, from: remote)
        audit?.add(AuditEntry(.wrongToken, by: "", from: remote, result: 401))
        if let seconds { throw .tooManyTokens(seconds) }
        return nil
    }

    private func answer(
        _ route: Route, _ request: Request, _ context: RequestContext, _ caller: AdminCaller
    ) async throws(Problem) -> Response {
        if !Route.reading.contains(request.method) {
            guard RequestSite(request) != .foreign else { throw .crossSite }
            try caller.checkMayAct()
        }
        switch route {
        case .metrics: return await routes.pages.metricsResponse()
        case .orders: return try await routes.list.list(request, caller)
        case .order(let name):
            guard request.method == .post else {
                return try await routes.orders.order(name, request, context, caller)
            }
            return try await routes.orders.register(name, request, context)
        case .inquire(let name):
            return try await routes.inquiries.inquire(name, request, by: caller)
        case .backfill(let endpoint):
            return try await routes.inquiries.backfill(endpoint, request)
        case .resolve(let name):
            return try await routes.decisions.resolve(name, request, by: caller)
        case .correct(let name):
            return try await routes.decisions.correct(name, request, by: caller)
        case .split(let name):
            return try await routes.decisions.split(name, request, by: caller)
        case .erase(let name):
            return try await routes.erasure.erase(name, request, by: caller)
        case .erasures: return try await routes.erasure.eraseOld(request, by: caller)
        case .expectation(let name):
            return try await routes.decisions.put(name, request, by: caller)
        case .events: return try await routes.events.events(request, context, caller)
        case .audit: return try await routes.audit.list(request, caller)
        case .destinations: return try await routes.deliveries.destinations(request)
        case .destination(let name, let command):
            return try await routes.deliveries.run(command, on: name, request, by: caller)
        case .deliveries: return try await routes.deliveries.list(request)
        case .change(let change):
            return try await routes.deliveries.change(change, request, by: caller)
        case .healthz, .readyz: return .plain(200, "")
        }
    }
}

extension Response {
    /// The answer with headers that isolate it: no cache stores it, no browser treats it as a
    /// script or a page, and no page of another origin embeds it.
    fileprivate var isolated: Response {
        var response = self
        for (name, value) in Self.isolating
        where !fields.contains(where: { $0.0.lowercased() == name.lowercased() }) {
            response.fields.append((name, value))
        }
        return response
    }

    private static let isolating = [
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}
