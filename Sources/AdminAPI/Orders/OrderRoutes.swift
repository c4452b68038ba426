import HTTP
import HTTPServer
import Inquiry
import JSON
import Payments
import Platform
import Store

/// One order: asked for, waited for, and what the merchant expects of it.
struct OrderRoutes: Sendable {
    let store: any Store
    let endpoints: EndpointCatalog
    /// Nil where nobody can be asked.
    let inquiries: InquiryService?
    let repetitions: Repetitions
    let clock: any Clock
    let waiting: WaitingPlaces

    /// Ask the provider this long before a wait times out, or halfway through a shorter wait.
    private static let askSecondsMax = 5.0

    /// `GET /orders/{endpoint}/{reference}[?wait=SECONDS&offset=N&repetitions=true]`, and the same
    /// with `~` and an id of the provider's in place of the reference: held until the order leaves
    /// `pending`. An order that nobody has heard of is waited for too. Before the wait ends in vain
    /// the provider is asked, where the endpoint has an `inquiry`, the order is known or expected
    /// and the caller may act, at most once for each order. Every instance answers the same, but
    /// for the repetitions.
    func order(
        _ name: OrderName, _ request: Request, _ context: RequestContext, _ caller: AdminCaller
    ) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: ["wait", "offset", "repetitions"])
        let seconds = try LongPoll.seconds(parameters)
        let offset = try parameters.integer("offset", in: 0...1_000_000) ?? 0
        let repetitions = try parameters.flag("repetitions") ? repetitions : nil
        func page(_ view: OrderView) -> Response {
            self.page(view, from: offset, repetitions: repetitions)
        }
        guard endpoints.provider(of: name.endpoint) != nil else {
            // It may have orders of an earlier configuration, but it will get no new ones.
            guard let view = try await view(name) else { throw unknownEndpoint(name) }
            return page(view)
        }
        guard seconds > 0 else { return page(try known(try await view(name), as: name)) }
        let place = try waiting.place(for: caller)
        defer { place.leave() }
        var last: OrderView?
        func look() async throws(Problem) -> OrderView? {
            guard let view = try await view(name) else { return nil }
            guard view.isKnown(as: name) else {
                last = view
                return nil
            }
            last = view
            return view.order.summary.status == .pending ? nil : view
        }
        // A viewer acts on nothing, and neither does an image on another site.
        let mayAsk = caller.role == .admin && RequestSite(request) != .foreign
        let canAsk = mayAsk && inquiries?.canAsk(name) ?? false
        let asking = canAsk ? min(Self.askSecondsMax, Double(seconds) / 2) : 0
        // Watch first, look then: whatever comes between is announced.
        let watch = store.commitFeed.watchOrder(name)
        var settled = try await LongPoll.wait(
            watch, seconds: Double(seconds) - asking, clock, context.presence, until: look)
        if settled == nil, asking > 0, !context.presence.hasEnded, !store.commitFeed.isClosed {
            let watch = store.commitFeed.watchOrder(name)
            // Only what a notification or the merchant named: anything else is a reference that the
            // caller made up. It goes on where the client does not wait for it: what it finds is
            // recorded.
            if last != nil { Task.detached { [inquiries] in await inquiries?.askOnce(name) } }
            settled = try await LongPoll.wait(
                watch, seconds: asking, clock, context.presence, until: look)
        }
        return page(try known(settled ?? last, as: name))
    }

    /// Throws `order_unknown` where the name is no order's own: an operation of another order came
    /// with it, and that order's state is not this one's.
    private func known(_ view: OrderView?, as name: OrderName) throws(Problem) -> OrderView {
        guard let view else { return try known(view) }
        if view.isKnown(as: name) { return view }
        throw Problem(
            404, "order_unknown",
            "no payment has named this order; an operation of the order "
                + "“\(view.order.reference ?? view.order.leastID ?? "")” came with this reference",
            aliasOf: view.order.reference)
    }

    private func known(_ view: OrderView?) throws(Problem) -> OrderView {
        if let view { return view }
        if store.commitFeed.isClosed {
            throw .unavailable("shutting_down", "the server is shutting down")
        }
        throw Problem(404, "order_unknown", "no notification has named this order")
    }

    private func view(_ name: OrderName) async throws(Problem) -> OrderView? {
        do throws(ReadFailure) {
            return try await store.order(name)
        } catch {
            throw Problem(error)
        }
    }

    private func unknownEndpoint(_ name: OrderName) -> Problem {
        Problem(404, "endpoint_unknown", "the configuration has no endpoint of this name")
    }

    private func page(
        _ view: OrderView, from offset: Int = 0, repetitions: Repetitions? = nil, status: Int = 200
    ) -> Response {
        var writer = JSONWriter()
        OrderPage.write(
            view, from: offset, repetitions: repetitions, now: clock.timestamp, to: &writer)
        return .json(status, writer.bytes).tagged(view)
    }

    /// `POST /orders/{endpoint}/{reference}`: 201 when it is durable, 200 when it was already, 409
    /// when something else was registered.
    func register(
        _ name: OrderName, _ request: Request, _ context: RequestContext
    ) async throws(Problem) -> Response {
        _ = try QueryParameters(request, known: [])
        guard let provider = endpoints.provider(of: name.endpoint) else {
            throw unknownEndpoint(name)
        }
        try name.checkReference()
        let body = try ExpectationBody(request)
        let receipt = await store.register(
            Registration(
                endpoint: name.endpoint, provider: provider, reference: name.reference,
                expectation: body.expectation, metadata: body.metadata,
                peer: context.client?.description ?? "", received: clock.timestamp))
        switch receipt.outcome {
        case .recorded, .ignored: return page(try known(try await view(name)), status: 201)
        case .duplicate: return page(try known(try await view(name)))
        case .conflict(let standing):
            throw Problem(
                409, "expectation_differs",
                "a different expectation is already registered in record \(standing)")
        case .refused(let refusal):
            throw .unavailable(refusal.reason, "it could not be made durable; try again")
        }
    }
}

extension OrderView {
    /// Whether the name is not an alias of an order that has another.
    fileprivate func isKnown(as name: OrderName) -> Bool {
        order.reference == nil || order.reference.isExactly(name.reference)
            || name.providerID.map { order.holds($0) } ?? false
    }
}

extension Clock {
    /// The wall clock's time, as records have it.
    var timestamp: Timestamp { Timestamp(microseconds: wallMicroseconds) }
}
