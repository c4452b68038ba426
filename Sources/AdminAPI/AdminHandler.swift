import Cryptography
import Delivery
import HTTP
import HTTPServer
import Inquiry
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
/// | `/events` | GET | the feed |
/// | `/destinations`, `/deliveries` | GET | what the merchant's own systems were told |
/// | `/destinations/{name}/{action}`, `/deliveries/{action}` | POST | the hands on it |
package struct AdminHandler: RequestHandler {
    private let orders: OrderRoutes
    private let list: OrderListRoutes
    private let events: EventRoutes
    private let deliveries: DeliveryRoutes
    private let inquiries: InquiryRoutes
    private let pages: AdminPages
    /// The Bearer token; nil where none is asked for (loopback only: Configuration sees to it).
    private let token: [UInt8]?

    package init(
        store: any Store, endpoints: EndpointCatalog, feed: EventFeed, lists: any OrderLists,
        deliveries: DeliveryService? = nil, inquiries: InquiryService? = nil,
        pages: AdminPages, token: [UInt8]?
    ) {
        orders = OrderRoutes(store: store, endpoints: endpoints)
        list = OrderListRoutes(lists: lists, commitFeed: store.commitFeed)
        events = EventRoutes(feed: feed, commitFeed: store.commitFeed)
        self.deliveries = DeliveryRoutes(service: deliveries)
        self.inquiries = InquiryRoutes(service: inquiries, store: store)
        self.pages = pages
        self.token = token
    }

    package func respond(to request: Request, in context: RequestContext) async -> Response {
        do throws(Problem) {
            return try await answer(request, context)
        } catch {
            return error.response
        }
    }

    /// The server's own refusals are answered and logged there; nothing here counts them.
    package func refused(_ reason: String, status: Int?, in context: RequestContext) {}

    package func answer(to error: HTTPError, path: ArraySlice<UInt8>?) -> Response {
        Problem(error, path: path).response
    }

    private func answer(
        _ request: Request, _ context: RequestContext
    ) async throws(Problem) -> Response {
        let route = try Route(request.path)
        try route.check(request.method)
        // Health needs no token: load balancers ask for it, and it tells nothing of orders.
        switch route {
        case .healthz: return .plain(200, "ok\n")
        case .readyz: return pages.readiness()
        default: break
        }
        guard isAuthorized(request) else { throw .tokenRequired }
        switch route {
        case .metrics: return await pages.metricsResponse()
        case .orders: return try await list.list(request)
        case .order(let name):
            if request.method == .post { return try await orders.register(name, request, context) }
            return try await orders.order(name, request, context)
        case .inquire(let name): return try await inquiries.inquire(name, request)
        case .events: return try await events.events(request, context)
        case .destinations: return try await deliveries.destinations(request)
        case .destination(let name, let action):
            return try await deliveries.act(action, on: name, request)
        case .deliveries: return try await deliveries.list(request)
        case .change(let change): return try await deliveries.change(change, request)
        case .healthz, .readyz: return .plain(200, "")
        }
    }

    private func isAuthorized(_ request: Request) -> Bool {
        guard let token else { return true }
        let given = request.values("authorization")
        guard given.count == 1, let value = given.first else { return false }
        // The scheme is case-insensitive (RFC 9110 §11.1).
        let scheme = "bearer "
        let start = value.prefix(scheme.utf8.count)
        guard start.elementsEqual(scheme.utf8, by: { $0 | 0x20 == $1 }) else { return false }
        return constantTimeEqual(Array(value.dropFirst(scheme.utf8.count)), token)
    }
}
