import HTTP
import HTTPServer
import Payments
import Platform
import Providers
import Store

/// The path of a notification through the program, in the order of the code:
///
///     socket → TLS → HTTP request → endpoint → verify → interpret → record → acknowledge
///
/// The server has done the first three steps when it calls `respond`; the rest is below. A request
/// that reports several events is recorded as a whole, and has one answer.
package struct Receiver: RequestHandler {
    private let endpoints: EndpointTable
    private let store: any Store
    private let requestLog: RequestLog
    private let look: Look
    private let tracing: NotificationTracing?
    private let eventsPerRequestMax: Int

    /// - Parameters:
    ///   - look: Asks about a notification that only says that something happened.
    ///   - tracing: Traces each request at an endpoint; nil while traces are off.
    ///   - eventsPerRequestMax: Events that one request may report
    ///     (`Limits.eventsPerRequestMax`).
    package init(
        endpoints: EndpointTable, store: any Store, requestLog: RequestLog,
        look: Look = .unavailable, tracing: NotificationTracing? = nil,
        eventsPerRequestMax: Int = Limits().eventsPerRequestMax
    ) {
        self.endpoints = endpoints
        self.store = store
        self.requestLog = requestLog
        self.look = look
        self.tracing = tracing
        self.eventsPerRequestMax = eventsPerRequestMax
    }

    /// A request waits for the store even if its client disconnects.
    package var watchesClients: Bool { false }

    package var timesRequests: Bool { tracing != nil }

    package func respond(to request: Request, in context: RequestContext) async -> Response {
        guard let endpoint = endpoints[request.path] else {
            return unrouted(request, context)
        }
        guard request.method == .post else { return refuse(.wrongMethod, request, context) }
        guard endpoint.admits(context.client) else {
            return refuse(.foreignNetwork, request, context)
        }
        return await receive(request, at: endpoint, through: endpoint.provider, context)
    }

    private func receive<System: Provider>(
        _ request: Request, at endpoint: Endpoint, through provider: System,
        _ context: RequestContext
    ) async -> Response {
        var arrival = requestLog.arrival()
        arrival.trace = tracing?.begin(request, at: endpoint, context, arrival)
        let delivery = request.delivery(at: endpoint, from: context.client, arrival)
        await provider.prepare(delivery)
        let verified: Verified<System.Evidence>
        do throws(Refusal) {
            verified = try provider.verify(delivery)
            try provider.claim(verified.evidence)
        } catch {
            requestLog.refused(error, request, at: endpoint, context, arrival)
            return Response(
                provider.answer(.refused(error)),
                retryAfterSeconds: error.kind == .unavailable ? 60 : nil)
        }
        if let question = provider.question(about: verified.evidence) {
            arrival.trace?.begin(.ask)
            return await receive(
                request, asking: question, at: endpoint, provider, context, arrival)
        }
        arrival.trace?.begin(.interpret)
        let notification: Notification
        let notifications =
            provider.sendsOneEvent ? [] : provider.notifications(in: verified.evidence)
        switch notifications.count {
        case 0: notification = provider.interpret(verified.evidence)
        case 1: notification = notifications[0]
        default:
            return await receive(
                notifications, of: request, verifiedBy: verified.key, at: endpoint,
                through: provider, context, arrival)
        }
        arrival.trace?.begin(.commit)
        let submission = request.submission(
            of: notification, verifiedBy: verified.key, at: endpoint, context, arrival)
        requestLog.redacted(submission.request, at: endpoint)
        let receipt = await store.record(submission)
        requestLog.recorded(receipt, notification, at: endpoint, context, arrival)
        return acknowledge(receipt, at: endpoint, provider)
    }

    /// Asks the provider what happened, and answers once that is on disk. Otherwise the provider
    /// sends the notification again.
    private func receive(
        _ request: Request, asking question: InquiryQuestion, at endpoint: Endpoint,
        _ provider: some Provider, _ context: RequestContext, _ arrival: Arrival
    ) async -> Response {
        switch await look(endpoint, question, within: arrival.trace) {
        case .recorded(let sequences):
            requestLog.looked(sequences, question, at: endpoint, context, arrival)
            return endpoint.acceptance
        case .absent:
            requestLog.looked(nil, question, at: endpoint, context, arrival)
            return endpoint.acceptance
        case .failed(let detail, let retryAfterSeconds):
            let refusal = Refusal.unavailable("not_fetched", detail)
            requestLog.refused(refusal, request, at: endpoint, context, arrival)
            return Response(
                provider.answer(.refused(refusal)), retryAfterSeconds: retryAfterSeconds)
        }
    }

    /// Records several events of one request together, and answers them as one.
    private func receive(
        _ notifications: [Notification], of request: Request, verifiedBy key: String,
        at endpoint: Endpoint, through provider: some Provider, _ context: RequestContext,
        _ arrival: Arrival
    ) async -> Response {
        guard notifications.count <= eventsPerRequestMax else {
            let refusal = Refusal.malformed(
                "events_too_many",
                "\(notifications.count) events; limits.eventsPerRequestMax is "
                    + "\(eventsPerRequestMax)")
            requestLog.refused(refusal, request, at: endpoint, context, arrival)
            return Response(provider.answer(.refused(refusal)))
        }
        arrival.trace?.begin(.commit)
        let submissions = request.submissions(
            of: notifications, verifiedBy: key, at: endpoint, context, arrival)
        requestLog.redacted(submissions[0].request, at: endpoint)
        let receipts = await store.record(submissions)
        requestLog.recorded(receipts, notifications, at: endpoint, context, arrival)
        let refused = receipts.first { $0.sequence == nil }
        return acknowledge(refused ?? receipts[0], at: endpoint, provider)
    }

    /// Answers 2xx once the notification or its original is on disk. If the store refuses, answers
    /// in the form that makes this provider retry.
    private func acknowledge(
        _ receipt: Receipt, at endpoint: Endpoint, _ provider: some Provider
    ) -> Response {
        switch receipt.outcome {
        case .recorded, .duplicate, .conflict, .ignored:
            return endpoint.acceptance
        case .denied, .refused:
            return Response(provider.answer(.unavailable), retryAfterSeconds: 5)
        }
    }

    /// Answers a request to an unknown path. One that resembles a notification gets the same
    /// answer, because nothing in it is verified. But it is kept and logged as a warning: the
    /// provider stops retrying eventually.
    private func unrouted(_ request: Request, _ context: RequestContext) -> Response {
        let arrival = requestLog.arrival()
        let delivery = request.delivery(arrival)
        let misdirection = endpoints.misdirection(of: delivery) { $0.admits(context.client) }
        guard let misdirection else { return refuse(.unknownPath, request, context) }
        requestLog.misdirected(misdirection, request, context, arrival)
        return RoutingRefusal.unknownPath.response
    }

    private func refuse(
        _ refusal: RoutingRefusal, _ request: Request, _ context: RequestContext
    ) -> Response {
        requestLog.misrouted(refusal, request, context)
        return refusal.response
    }

    /// Replaces the methods that the server would allow: endpoints accept POST only.
    package func answer(to error: HTTPError, path: ArraySlice<UInt8>?) -> Response {
        Response(
            HTTPError(
                status: error.status, reason: error.reason, allow: error.allow.map { _ in "POST" }))
    }

    package func refused(_ reason: String, status: Int?, in context: RequestContext) {
        requestLog.refusedByServer(reason, status: status, context)
    }

    package func closedIdle(_ reason: String, in context: RequestContext) {
        requestLog.closedIdle(reason, context)
    }
}

/// Why a well-formed request reaches no endpoint. No provider is known at this point, so the
/// answer is the reason code as plain text, the same as in the log.
package enum RoutingRefusal: String, Sendable, CaseIterable {
    case unknownPath = "unknown_path"
    case wrongMethod = "wrong_method"
    /// The endpoint's `allow` does not contain the client's network.
    case foreignNetwork = "foreign_network"

    package var status: Int {
        switch self {
        case .unknownPath: 404
        case .wrongMethod: 405
        case .foreignNetwork: 403
        }
    }

    var response: Response {
        var fields = [("Content-Type", "text/plain")]
        // RFC 9110 §15.5.6: a 405 lists the allowed methods.
        if self == .wrongMethod { fields.append(("Allow", "POST")) }
        return Response(status: status, fields: fields, body: Array("\(rawValue)\n".utf8))
    }
}
