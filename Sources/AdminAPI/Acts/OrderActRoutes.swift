import HTTP
import Payments
import Records
import Store

/// A person's decisions about one order.
///
/// | path | effect |
/// |---|---|
/// | `POST /orders/{endpoint}/{reference}/resolve` | ends a `review` |
/// | `POST /orders/{endpoint}/{reference}/correct` | replaces the expectation |
/// | `POST /orders/{endpoint}/{reference}/split` | takes out what an id has joined to it |
/// | `PUT /expectations/{endpoint}/{reference}` | as `correct`, with `If-Match` for `last` |
///
/// Each names the newest record that the person saw. Of two decisions at the same time, the second
/// is refused.
struct OrderActRoutes: Sendable {
    let acts: ActRecorder

    func resolve(
        _ name: OrderName, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        try check(name, request)
        return response(try await resolve(name, ResolutionRequest(request), by: caller))
    }

    func resolve(
        _ name: OrderName, _ resolution: ResolutionRequest, by caller: AdminCaller
    ) async throws(Problem) -> OrderAnswer {
        let own = try await ownReference(name)
        try await acts.record(
            .init(kind: .resolve, caller: caller, reason: resolution.reason),
            endpoint: name.endpoint, reference: own,
            .resolve(resolution.proposal, last: resolution.last))
        return try await answer(name)
    }

    func correct(
        _ name: OrderName, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        try check(name, request)
        let (correction, last) = try CorrectionRequest.withLast(request)
        return response(try await correct(name, correction, last: last, by: caller))
    }

    func correct(
        _ name: OrderName, _ correction: CorrectionRequest, last: UInt64, by caller: AdminCaller
    ) async throws(Problem) -> OrderAnswer {
        let own = try await ownReference(name)
        try await acts.record(
            .init(kind: .correct, caller: caller, reason: correction.reason),
            endpoint: name.endpoint, reference: own,
            .correct(
                RegisteredExpectation(
                    expectation: correction.expectation, metadata: correction.metadata),
                last: last))
        return try await answer(name)
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
        return response(try await answer(name))
    }

    /// Throws 428 without `If-Match`, and 412 where it does not name the order's newest record.
    func put(
        _ name: OrderName, _ request: Request, by caller: AdminCaller
    ) async throws(Problem) -> Response {
        try check(name, request)
        let condition = try IfMatch(request)
        let correction = try CorrectionRequest(request)
        guard let view = try await acts.view(name) else { throw Problem(.orderUnknown) }
        guard condition.names(view.last) else {
            throw Self.preconditionFailed(.init(.orderChanged(last: view.last)))
        }
        do throws(Problem) {
            return response(try await correct(name, correction, last: view.last, by: caller))
        } catch {
            throw Self.preconditionFailed(error)
        }
    }

    /// The checks before every act.
    private func check(_ name: OrderName, _ request: Request) throws(Problem) {
        _ = try QueryParameters(request, known: [])
        try name.checkReference()
    }

    /// `order_changed` as 412, the status of a failed condition of HTTP (RFC 9110 §13.1.1). A
    /// failed condition in the body is 409.
    private static func preconditionFailed(_ problem: Problem) -> Problem {
        guard problem.code == "order_changed" else { return problem }
        return Problem(412, problem.code, problem.detail)
    }

    /// The order's own reference, where an alias led to it.
    private func ownReference(_ name: OrderName) async throws(Problem) -> String {
        guard let view = try await acts.view(name) else { throw Problem(.orderUnknown) }
        return view.order.reference ?? name.reference
    }

    /// The order as it is now.
    private func answer(_ name: OrderName) async throws(Problem) -> OrderAnswer {
        guard let view = try await acts.view(name) else { throw Problem(.orderUnknown) }
        return OrderAnswer(view, now: acts.clock.timestamp)
    }

    private func response(_ answer: OrderAnswer) -> Response {
        Response.json(200, answer.json()).tagged(answer.last)
    }
}

/// `{"reason":"…","last":42}` accepts what the order shows;
/// `{"reason":"…","last":42,"status":"paid","captured":{…},"refunded":{…}}` states what it is.
package struct ResolutionRequest {
    let reason: String
    let last: UInt64
    let proposal: SettlementProposal

    /// - Parameters:
    ///   - last: The newest record that the person saw.
    ///   - status: Nil to accept what the order shows. Throws `resolution_invalid` for `review` and
    ///     for a word that is no status.
    package init(
        reason: String, last: UInt64, status: String? = nil, captured: Money? = nil,
        refunded: Money? = nil
    ) throws(Problem) {
        let code = "resolution_invalid"
        self.reason = try ActReason.checked(reason, code)
        self.last = last
        guard let status else {
            guard captured == nil, refunded == nil else {
                throw Problem(400, code, "`captured` and `refunded` need a `status`")
            }
            proposal = .accept
            return
        }
        guard let status = OrderStatus(rawValue: status), status != .review else {
            throw Problem(
                400, code, "`status` must be a status of an order other than `review`")
        }
        proposal = .settle(status, captured: captured, refunded: refunded)
    }

    /// Throws what `JSONBody` throws, or `resolution_invalid`.
    init(_ request: Request) throws(Problem) {
        let body = try JSONBody(
            request, code: "resolution_invalid",
            members: ["reason", "last", "status", "captured", "refunded"])
        let reason = try body.reason()
        let last = try body.sequence("last")
        let captured = try body.amount("captured")
        let refunded = try body.amount("refunded")
        try self.init(
            reason: reason, last: last, status: body["status"].map { $0.string ?? "" },
            captured: captured, refunded: refunded)
    }
}

/// An expectation, with `reason`.
struct CorrectionRequest {
    let reason: String
    let expectation: Expectation
    /// In canonical form; empty without metadata.
    let metadata: [UInt8]

    init(amount: Money, reason: String) throws(Problem) {
        self.reason = try ActReason.checked(reason, Self.code)
        expectation = Expectation(amount: amount)
        metadata = []
    }

    /// Throws what `JSONBody` throws, or `expectation_invalid`.
    init(_ request: Request) throws(Problem) {
        self = try CorrectionRequest(Self.body(request, []))
    }

    /// Reads `last` too.
    static func withLast(
        _ request: Request
    ) throws(Problem) -> (CorrectionRequest, last: UInt64) {
        let body = try body(request, ["last"])
        return (try CorrectionRequest(body), try body.sequence("last"))
    }

    private static let code = "expectation_invalid"

    private init(_ body: JSONBody) throws(Problem) {
        let expected = try ExpectationBody(body)
        expectation = expected.expectation
        metadata = expected.metadata
        reason = try body.reason()
    }

    private static func body(_ request: Request, _ further: [String]) throws(Problem) -> JSONBody {
        try JSONBody(
            request, code: code, members: ExpectationBody.members + ["reason"] + further)
    }
}

extension OrderName {
    /// Throws `reference_invalid` for a reference that no notification could have.
    func checkReference() throws(Problem) {
        guard reference.isWord else {
            throw Problem(
                400, "reference_invalid",
                "a reference has at most \(wordBytesMax) bytes of UTF-8 and no control characters")
        }
    }
}
