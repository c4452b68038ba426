import HTTP
import HTTPServer
import Inquiry
import Payments
import Platform
import Redaction
import Store

/// Reads one order, waits for one, and registers an expectation.
struct OrderRoutes: Sendable {
    let store: any Store
    let endpoints: EndpointCatalog
    /// Nil where no provider can be asked.
    let inquiries: InquiryService?
    let repetitions: Repetitions
    let clock: any Clock
    let waiting: WaitingPlaces
    /// Nil where the configuration has no `outcome`.
    let outcomes: OutcomeTokens?

    /// `GET /orders/{endpoint}/{reference}[?wait=SECONDS&offset=N&repetitions=true]`, also with `~`
    /// and a provider's id in place of the reference. A wait ends when the order leaves `pending`;
    /// an unknown order is waited for too.
    ///
    /// During a wait, the provider is asked within its limits: if the endpoint has an `inquiry`,
    /// the order is known or expected, and the caller may act. Every instance gives the same
    /// answer, except for the repetitions.
    func order(
        _ name: OrderName, _ request: Request, _ context: RequestContext, _ caller: AdminCaller
    ) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: ["wait", "offset", "repetitions"])
        let seconds = try LongPoll.seconds(parameters)
        let offset = try parameters.integer("offset", in: 0...1_000_000) ?? 0
        let repetitions = try parameters.flag("repetitions") ? repetitions : nil
        let view =
            seconds > 0 && endpoints.provider(of: name.endpoint) != nil
            ? try await settled(name, seconds, request, context, caller) : try await known(name)
        return response(answer(view, from: offset, repetitions: repetitions))
    }

    /// The order now, with its repetitions.
    func order(_ name: OrderName) async throws(Problem) -> OrderAnswer {
        answer(try await known(name), repetitions: repetitions)
    }

    private func known(_ name: OrderName) async throws(Problem) -> OrderView {
        guard endpoints.provider(of: name.endpoint) != nil else {
            // An endpoint of an earlier configuration may have orders, but gets no new ones.
            guard let view = try await view(name) else { throw unknownEndpoint() }
            return view
        }
        return try await known(try await view(name), as: name)
    }

    /// Waits until the order leaves `pending`, or for `seconds`.
    private func settled(
        _ name: OrderName, _ seconds: Int, _ request: Request, _ context: RequestContext,
        _ caller: AdminCaller
    ) async throws(Problem) -> OrderView {
        let place = try waiting.place(for: caller)
        defer { place.leave() }
        // A viewer does not act, and neither does an image on another site.
        let mayAsk = caller.role.mayAct && RequestSite(request) != .foreign
        let view = try await wait.order(
            name, seconds: Double(seconds), context.presence, asks: mayAsk
        ) { $0.isKnown(as: name) && $0.order.summary.status != .pending }
        return try await known(view, as: name)
    }

    /// Throws `order_unknown` where the name is only an alias: an operation of another order came
    /// with this reference, and that order's state is not the state of this one.
    private func known(
        _ view: OrderView?, as name: OrderName
    ) async throws(Problem) -> OrderView {
        guard let view else { throw try await unknown(name) }
        if view.isKnown(as: name) { return view }
        throw Problem(
            404, "order_unknown",
            "no payment has named this order; an operation of the order "
                + "“\(view.order.reference ?? view.order.leastID ?? "")” came with this reference",
            aliasOf: view.order.reference)
    }

    /// The reason why there is no order of this name, and where one is that it leads to.
    private func unknown(_ name: OrderName) async throws(Problem) -> Problem {
        if store.commitFeed.isClosed {
            throw .unavailable("shutting_down", "the server is shutting down")
        }
        let found: [OrderView]
        do throws(ReadFailure) {
            found = try await store.orders(
                knownAs: name.providerID ?? name.reference, endpoint: nil)
        } catch {
            throw Problem(error)
        }
        let here = found.first { $0.endpoint.isExactly(name.endpoint) }
        guard let other = here ?? found.first else {
            return Problem(
                404, "order_unknown", "no notification has named this order, and no expectation")
        }
        let place = "/\(OrderPath.of(other.name))"
        guard here != nil else {
            return Problem(
                404, "order_unknown", "this endpoint has no such order; another one has: \(place)")
        }
        return Problem(
            404, "order_unknown", "this is an id of the provider's, not a reference: \(place)",
            aliasOf: other.order.reference)
    }

    private func view(_ name: OrderName) async throws(Problem) -> OrderView? {
        try await wait.view(name)
    }

    private var wait: OrderWait { OrderWait(store: store, inquiries: inquiries, clock: clock) }

    private func unknownEndpoint() -> Problem {
        Problem(404, "endpoint_unknown", "the configuration has no endpoint of this name")
    }

    private func answer(
        _ view: OrderView, from offset: Int = 0, repetitions: Repetitions? = nil
    ) -> OrderAnswer {
        OrderAnswer(view, from: offset, repetitions: repetitions, now: clock.timestamp)
    }

    private func response(_ answer: OrderAnswer, status: Int = 200) -> Response {
        Response.json(status, answer.json()).tagged(answer.last)
    }

    /// `POST /orders/{endpoint}/{reference}`: 201 when the expectation is durable, 200 when it was
    /// registered before, 409 when a different one was.
    func register(
        _ name: OrderName, _ request: Request, _ context: RequestContext
    ) async throws(Problem) -> Response {
        _ = try QueryParameters(request, known: [])
        guard let provider = endpoints.provider(of: name.endpoint) else {
            throw unknownEndpoint()
        }
        try name.checkReference()
        let body = try ExpectationBody(request)
        if body.order != nil, endpoints.keepsTriesApart(name.endpoint) {
            throw Problem(
                409, "tries_apart",
                "this provider's ids are unique within one reference only, so payments of several "
                    + "references can't be tries of one order")
        }
        let receipt = await store.register(
            Registration(
                endpoint: name.endpoint, provider: provider, reference: name.reference,
                expectation: body.expectation, order: body.order,
                metadata: Redactor().masked(json: body.metadata),
                peer: context.client?.description ?? "", received: clock.timestamp))
        switch receipt.outcome {
        case .recorded, .ignored:
            return try await registered(name, status: 201)
        case .duplicate: return try await registered(name, status: 200)
        case .conflict(let existing):
            throw Problem(
                409, "expectation_differs",
                "a different expectation is already registered in record \(existing)")
        case .denied(.orderFull):
            throw Problem(
                409, "order_full", "the order has more events than it holds, so it takes no try")
        case .denied(let denial): throw Problem(denial)
        case .refused(let refusal):
            throw .unavailable(refusal.reason, "it could not be made durable; try again")
        }
    }

    /// The order of an expectation that is durable, with a token for the shopper's app.
    private func registered(_ name: OrderName, status: Int) async throws(Problem) -> Response {
        guard let view = try await view(name) else { throw try await unknown(name) }
        var answer = answer(view)
        answer.outcomeToken = outcomes?.make(name, now: clock.timestamp)
        return response(answer, status: status)
    }
}

extension Clock {
    /// The wall clock's time, as records have it.
    var timestamp: Timestamp { Timestamp(microseconds: wallMicroseconds) }
}
