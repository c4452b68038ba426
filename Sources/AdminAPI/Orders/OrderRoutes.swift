import HTTP
import HTTPServer
import Inquiry
import Payments
import Platform
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

    /// Ask the provider this long before a wait times out, or halfway through a shorter wait.
    private static let askSecondsMax = 5.0

    /// `GET /orders/{endpoint}/{reference}[?wait=SECONDS&offset=N&repetitions=true]`, also with `~`
    /// and a provider's id in place of the reference. A wait ends when the order leaves `pending`;
    /// an unknown order is waited for too.
    ///
    /// Before a wait times out, the provider is asked at most once for each order: if the endpoint
    /// has an `inquiry`, the order is known or expected, and the caller may act. Every instance
    /// gives the same answer, except for the repetitions.
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
        var last: OrderView?
        func look() async throws(Problem) -> OrderView? {
            guard let view = try await view(name) else { return nil }
            last = view
            guard view.isKnown(as: name) else { return nil }
            return view.order.summary.status == .pending ? nil : view
        }
        // A viewer does not act, and neither does an image on another site.
        let mayAsk = caller.role == .admin && RequestSite(request) != .foreign
        let canAsk = mayAsk && inquiries?.canAsk(name) ?? false
        let asking = canAsk ? min(Self.askSecondsMax, Double(seconds) / 2) : 0
        // The order may be known under another name than the one that it was asked for by.
        let name = try await view(name).map { $0.isKnown(as: name) ? $0.name : name } ?? name
        // The watch begins before the first look, so that no change is missed between the two.
        let watch = store.commitFeed.watchOrder(name)
        var settled = try await LongPoll.wait(
            watch, seconds: Double(seconds) - asking, clock, context.presence, until: look)
        if settled == nil, asking > 0, !context.presence.hasEnded, !store.commitFeed.isClosed {
            let watch = store.commitFeed.watchOrder(name)
            // Only for an order that a notification or the merchant has named: the caller may have
            // made up any other reference. The inquiry goes on if the client leaves, because its
            // result is recorded.
            if last != nil { Task.detached { [inquiries] in await inquiries?.askOnce(name) } }
            settled = try await LongPoll.wait(
                watch, seconds: asking, clock, context.presence, until: look)
        }
        return try await known(settled ?? last, as: name)
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
        do throws(ReadFailure) {
            return try await store.order(name)
        } catch {
            throw Problem(error)
        }
    }

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
        let receipt = await store.register(
            Registration(
                endpoint: name.endpoint, provider: provider, reference: name.reference,
                expectation: body.expectation, metadata: body.metadata,
                peer: context.client?.description ?? "", received: clock.timestamp))
        switch receipt.outcome {
        case .recorded, .ignored:
            return response(answer(try await registered(name)), status: 201)
        case .duplicate: return response(answer(try await registered(name)))
        case .conflict(let existing):
            throw Problem(
                409, "expectation_differs",
                "a different expectation is already registered in record \(existing)")
        case .denied(let denial): throw Problem(denial)
        case .refused(let refusal):
            throw .unavailable(refusal.reason, "it could not be made durable; try again")
        }
    }

    /// The order of an expectation that is durable.
    private func registered(_ name: OrderName) async throws(Problem) -> OrderView {
        guard let view = try await view(name) else { throw try await unknown(name) }
        return view
    }
}

extension OrderView {
    /// Whether the name is the order's own, or an id of an order without a reference; false for an
    /// alias.
    fileprivate func isKnown(as name: OrderName) -> Bool {
        order.reference == nil || order.reference.isExactly(name.reference)
            || name.providerID.map { order.holds($0) } ?? false
    }
}

extension Clock {
    /// The wall clock's time, as records have it.
    var timestamp: Timestamp { Timestamp(microseconds: wallMicroseconds) }
}
