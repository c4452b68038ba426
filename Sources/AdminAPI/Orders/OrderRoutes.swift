import HTTP
import HTTPServer
import JSON
import Payments
import Platform
import Store

/// One order: asked for, waited for, and what the merchant expects of it.
struct OrderRoutes: Sendable {
    let store: any Store
    let endpoints: EndpointCatalog

    /// `GET /orders/{endpoint}/{reference}[?wait=SECONDS&offset=N]`: held until the order leaves
    /// `pending`. An order that nobody has heard of is waited for too.
    func order(
        _ name: OrderName, _ request: Request, _ context: RequestContext
    ) async throws(Problem) -> Response {
        let parameters = try QueryParameters(request, known: ["wait", "offset"])
        let seconds = try LongPoll.seconds(parameters)
        let offset = try parameters.integer("offset", in: 0...1_000_000) ?? 0
        guard endpoints.provider(of: name.endpoint) != nil else {
            // It may have orders of an earlier configuration, but it will get no new ones.
            guard let view = try await view(name) else { throw unknownEndpoint(name) }
            return page(view, from: offset)
        }
        guard seconds > 0 else { return page(try known(try await view(name)), from: offset) }
        var last: OrderView?
        // Watch first, look then: whatever comes between is announced.
        let watch = store.commitFeed.watchOrder(name)
        let settled = try await LongPoll.wait(watch, seconds: seconds, context.presence) {
            () throws(Problem) -> OrderView? in
            guard let view = try await view(name) else { return nil }
            last = view
            return view.order.summary.status == .pending ? nil : view
        }
        return page(try known(settled ?? last), from: offset)
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
            return try await store.order(endpoint: name.endpoint, reference: name.reference)
        } catch {
            throw Problem(error)
        }
    }

    private func unknownEndpoint(_ name: OrderName) -> Problem {
        Problem(404, "endpoint_unknown", "the configuration has no endpoint of this name")
    }

    private func page(_ view: OrderView, from offset: Int = 0, status: Int = 200) -> Response {
        var writer = JSONWriter()
        OrderPage.write(view, from: offset, now: .now(), to: &writer)
        return .json(status, writer.bytes)
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
        try checkReference(name.reference)
        let body = try ExpectationBody(request)
        let receipt = await store.register(
            Registration(
                endpoint: name.endpoint, provider: provider, reference: name.reference,
                expectation: body.expectation, metadata: body.metadata,
                peer: context.client?.description ?? "", received: .now()))
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

    private func checkReference(_ reference: String) throws(Problem) {
        // The rule for what notifications call an order: a longer one would never be met.
        guard reference.isWord else {
            throw Problem(
                400, "reference_invalid",
                "a reference has at most \(wordBytesMax) bytes of UTF-8 and no control characters")
        }
    }
}

extension Timestamp {
    /// The wall clock.
    static func now() -> Timestamp { Timestamp(microseconds: WallClock.microseconds()) }
}
