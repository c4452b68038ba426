import Delivery
import HTTP
import HTTPServer
import Inquiry
import Platform
import Store

/// The side that is read: health, metrics, orders and events, on a listener of its own.
///
/// | path | methods | what |
/// |---|---|---|
/// | `/healthz`, `/readyz` | GET | health, without a token |
/// | `/metrics` | GET | Prometheus text |
/// | `/orders` | GET | list or export |
/// | `/orders/{endpoint}/{reference}` | GET, POST | one order; what is expected of it |
/// | `/orders/{endpoint}/{reference}/inquire` | POST | asks the provider |
/// | `/orders/{endpoint}/{reference}/resolve`, `correct` | POST | what a person decides |
/// | `/expectations/{endpoint}/{reference}` | PUT | as `correct`, with `If-Match` |
/// | `/events` | GET | the feed |
/// | `/destinations`, `/deliveries` | GET | what the merchant's own systems were told |
/// | `/destinations/{name}/{action}`, `/deliveries/{action}` | POST | the hands on it |
package struct AdminHandler: RequestHandler {
    private let orders: OrderRoutes
    private let list: OrderListRoutes
    private let events: EventRoutes
    private let deliveries: DeliveryRoutes
    private let inquiries: InquiryRoutes
    private let decisions: OrderActRoutes
    private let pages: AdminPages
    private let access: AdminAccess
    private let gate: TokenGate

    /// - Parameter waiting: Places for long polls and streams; they outlive a reload.
    package init(
        store: any Store, endpoints: EndpointCatalog, feed: EventFeed, lists: any OrderLists,
        deliveries: DeliveryService? = nil, inquiries: InquiryService? = nil,
        repetitions: Repetitions, pages: AdminPages, access: AdminAccess,
        gate: TokenGate, waiting: WaitingPlaces, listWaitMillisecondsMax: Int, clock: any Clock
    ) {
        orders = OrderRoutes(
            store: store, endpoints: endpoints, inquiries: inquiries, repetitions: repetitions,
            clock: clock, waiting: waiting)
        list = OrderListRoutes(
            lists: lists, store: store, waitMillisecondsMax: listWaitMillisecondsMax,
            clock: clock)
        events = EventRoutes(
            feed: feed, commitFeed: store.commitFeed, clock: clock, waiting: waiting)
        let acts = ActRecorder(store: store, endpoints: endpoints, clock: clock)
        self.deliveries = DeliveryRoutes(service: deliveries, acts: acts)
        self.inquiries = InquiryRoutes(service: inquiries, store: store, acts: acts)
        decisions = OrderActRoutes(acts: acts)
        self.pages = pages
        self.access = access
        self.gate = gate
    }

    package func respond(to request: Request, in context: RequestContext) async -> Response {
        await judged(request, context).kept
    }

    private func judged(_ request: Request, _ context: RequestContext) async -> Response {
        do throws(Problem) {
            guard access.trustsHost(of: request, context) else { throw .hostUnknown }
            let caller = access.caller(of: request, context)
            if caller == nil, access.showsToken(request),
                let seconds = gate.noteWrong(.bearer, from: context.clientText)
            {
                throw .tooManyTokens(seconds)
            }
            return try await answer(request, context, caller)
        } catch {
            return error.response
        }
    }

    /// As `respond`, to somebody who has shown elsewhere who they are: by a session of the pages.
    package func respond(
        to request: Request, in context: RequestContext, by caller: AdminCaller
    ) async -> Response {
        do throws(Problem) {
            return try await answer(request, context, caller).kept
        } catch {
            return error.response.kept
        }
    }

    /// The server's own refusals are answered and logged there; nothing here counts them.
    package func refused(_ reason: String, status: Int?, in context: RequestContext) {}

    package func answer(to error: HTTPError, path: ArraySlice<UInt8>?) -> Response {
        Problem(error, path: path).response.kept
    }

    private func answer(
        _ request: Request, _ context: RequestContext, _ caller: AdminCaller?
    ) async throws(Problem) -> Response {
        let (route, request) = try Route.of(request)
        try route.check(request.method)
        // Health needs no token: load balancers ask for it, and it tells nothing of orders.
        switch route {
        case .healthz: return .plain(200, "ok\n")
        case .readyz: return pages.readiness()
        default: break
        }
        guard let caller else { throw .tokenRequired }
        if !Route.reading.contains(request.method) {
            guard RequestSite(request) != .foreign else { throw .crossSite }
            try caller.checkMayAct()
        }
        switch route {
        case .metrics: return await pages.metricsResponse()
        case .orders: return try await list.list(request, caller)
        case .order(let name):
            if request.method == .post { return try await orders.register(name, request, context) }
            return try await orders.order(name, request, context, caller)
        case .inquire(let name):
            return try await inquiries.inquire(name, request, by: caller)
        case .resolve(let name): return try await decisions.resolve(name, request, by: caller)
        case .correct(let name): return try await decisions.correct(name, request, by: caller)
        case .split(let name): return try await decisions.split(name, request, by: caller)
        case .expectation(let name): return try await decisions.put(name, request, by: caller)
        case .events: return try await events.events(request, context, caller)
        case .destinations: return try await deliveries.destinations(request)
        case .destination(let name, let action):
            return try await deliveries.act(action, on: name, request, by: caller)
        case .deliveries: return try await deliveries.list(request)
        case .change(let change): return try await deliveries.change(change, request, by: caller)
        case .healthz, .readyz: return .plain(200, "")
        }
    }
}

extension Response {
    /// The answer with headers that protect it: no cache stores it, no browser takes it for a
    /// script or a page, and no page of another origin embeds it.
    fileprivate var kept: Response {
        var response = self
        for (name, value) in Self.keeping
        where !fields.contains(where: { $0.0.lowercased() == name.lowercased() }) {
            response.fields.append((name, value))
        }
        return response
    }

    private static let keeping = [
        ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}
