import HTTP
import JSON
import Payments
import Records
import Store

/// What a person decides about one order.
///
/// | path | what |
/// |---|---|
/// | `POST /orders/{endpoint}/{reference}/resolve` | ends a `review` |
/// | `POST /orders/{endpoint}/{reference}/correct` | replaces the expectation |
/// | `POST /orders/{endpoint}/{reference}/split` | takes out what came to it by an id |
/// | `PUT /expectations/{endpoint}/{reference}` | the same, with `If-Match` in place of `last` |
///
/// All name the newest record that the person saw: of two people who decide at the same time, one
/// is refused.
struct OrderActRoutes: Sendable {
    let acts: ActRecorder

    func resolve(
        _ name: OrderName, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        try check(name, request)
        let body = try ResolutionBody(request)
        let own = try await ownReference(name)
        try await acts.record(
            .init(kind: .resolve, caller: caller, reason: body.reason),
            endpoint: name.endpoint, reference: own, .resolve(body.proposal, last: body.last))
        return try await page(name)
    }

    func correct(
        _ name: OrderName, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        try check(name, request)
        let (body, last) = try CorrectionBody.withLast(request)
        return try await correct(name, body, last: last, by: caller)
    }

    func split(
        _ name: OrderName, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        try check(name, request)
        let body = try JSONBody(request, code: "split_invalid", members: ["reason", "last"])
        let reason = try body.reason()
        let last = try body.sequence("last")
        guard let view = try await acts.view(name), let own = view.order.reference else {
            throw Problem(.orderUnknown)
        }
        try await acts.record(
            .init(
                kind: .split, caller: caller, reason: reason,
                parameters: RecordedAction.parameters(of: view.parts)),
            endpoint: name.endpoint, reference: own, .split(last: last))
        return try await page(name)
    }

    /// Throws 428 without `If-Match`, and 412 where it does not name the order's newest record.
    func put(
        _ name: OrderName, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        try check(name, request)
        let condition = try IfMatch(request)
        let body = try CorrectionBody(request)
        guard let view = try await acts.view(name) else { throw Problem(.orderUnknown) }
        guard condition.names(view.last) else {
            throw Self.changed(.init(.orderChanged(last: view.last)))
        }
        do throws(Problem) {
            return try await correct(name, body, last: view.last, by: caller)
        } catch {
            throw Self.changed(error)
        }
    }

    /// What is the same for every act.
    private func check(_ name: OrderName, _ request: Request) throws(Problem) {
        _ = try QueryParameters(request, known: [])
        try name.checkReference()
    }

    /// A condition of HTTP that does not hold is 412 (RFC 9110 §13.1.1), where one in the body is
    /// 409.
    private static func changed(_ problem: Problem) -> Problem {
        guard problem.code == "order_changed" else { return problem }
        return Problem(412, problem.code, problem.detail)
    }

    private func correct(
        _ name: OrderName, _ body: CorrectionBody, last: UInt64, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        let own = try await ownReference(name)
        try await acts.record(
            .init(kind: .correct, caller: caller, reason: body.reason),
            endpoint: name.endpoint, reference: own,
            .correct(
                RegisteredExpectation(
                    expectation: body.expectation.expectation, metadata: body.expectation.metadata),
                last: last))
        return try await page(name)
    }

    /// The order's own reference, where an alias led to it.
    private func ownReference(_ name: OrderName) async throws(Problem) -> String {
        guard let view = try await acts.view(name) else { throw Problem(.orderUnknown) }
        return view.order.reference ?? name.reference
    }

    /// The order as it is now.
    private func page(_ name: OrderName) async throws(Problem) -> Response {
        guard let view = try await acts.view(name) else { throw Problem(.orderUnknown) }
        var writer = JSONWriter()
        OrderPage.write(view, now: acts.clock.timestamp, to: &writer)
        return .json(200, writer.bytes).tagged(view)
    }
}

/// `{"reason":"…","last":42}` accepts what the order shows;
/// `{"reason":"…","last":42,"status":"paid","captured":{…},"refunded":{…}}` says what it is.
struct ResolutionBody {
    let reason: String
    let last: UInt64
    let proposal: SettlementProposal

    /// Throws what `JSONBody` throws, or `resolution_invalid`.
    init(_ request: Request) throws(Problem) {
        let body = try JSONBody(
            request, code: "resolution_invalid",
            members: ["reason", "last", "status", "captured", "refunded"])
        reason = try body.reason()
        last = try body.sequence("last")
        let captured = try body.amount("captured")
        let refunded = try body.amount("refunded")
        guard let word = body["status"] else {
            guard captured == nil, refunded == nil else {
                throw body.invalid("`captured` and `refunded` need a `status`")
            }
            proposal = .accept
            return
        }
        guard let status = word.string.flatMap(OrderStatus.init(rawValue:)), status != .review
        else { throw body.invalid("`status` must be a status of an order other than `review`") }
        proposal = .settle(status, captured: captured, refunded: refunded)
    }
}

/// An expectation, with `reason`.
struct CorrectionBody {
    let reason: String
    let expectation: ExpectationBody

    /// Throws what `JSONBody` throws, or `expectation_invalid`.
    init(_ request: Request) throws(Problem) {
        self = try CorrectionBody(Self.body(request, []))
    }

    /// The same with `last`.
    static func withLast(_ request: Request) throws(Problem) -> (CorrectionBody, last: UInt64) {
        let body = try body(request, ["last"])
        return (try CorrectionBody(body), try body.sequence("last"))
    }

    private init(_ body: JSONBody) throws(Problem) {
        expectation = try ExpectationBody(body)
        reason = try body.reason()
    }

    private static func body(_ request: Request, _ further: [String]) throws(Problem) -> JSONBody {
        try JSONBody(
            request, code: "expectation_invalid",
            members: ExpectationBody.members + ["reason"] + further)
    }
}

extension OrderName {
    /// The rule for what notifications call an order: a longer one would never be met. Throws
    /// `reference_invalid`.
    func checkReference() throws(Problem) {
        guard reference.isWord else {
            throw Problem(
                400, "reference_invalid",
                "a reference has at most \(wordBytesMax) bytes of UTF-8 and no control characters")
        }
    }
}
