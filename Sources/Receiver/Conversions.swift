import HTTP
import HTTPServer
import Payments
import Platform
import Providers
import Records
import Redaction
import Store

// Each module below the receiver has its own type for a request, because they do not import each
// other. These conversions copy references to the received bytes, never the bytes.

extension Request {
    /// The request as `endpoint`'s provider verifies it, with the path that the provider signed.
    func delivery(
        at endpoint: Endpoint, from client: IPAddress?, _ arrival: Arrival
    ) -> SignedRequest {
        SignedRequest(
            method: method.name, path: endpoint.signedPath, query: query, headers: fields,
            body: body, isFromNamedNetwork: endpoint.takesUnsigned(from: client),
            received: arrival.received)
    }

    /// The request without an endpoint, where none has its path.
    func delivery(_ arrival: Arrival) -> SignedRequest {
        SignedRequest(
            method: method.name, path: path, query: query, headers: fields, body: body,
            received: arrival.received)
    }

    /// The request as a record keeps it: without what must not be stored.
    func recorded(by redactor: Redactor) -> RecordedRequest {
        var request = RecordedRequest(
            method: method.name, target: target, headers: fields, body: body)
        redactor.redact(&request)
        return request
    }

    /// The submissions of the events that a verified request reports.
    func submissions(
        of notifications: [Notification], verifiedBy key: String, at endpoint: Endpoint,
        _ context: RequestContext, _ arrival: Arrival
    ) -> [Submission] {
        let recorded = recorded(by: endpoint.redactor)
        return notifications.enumerated().map { index, notification in
            var submission = submission(
                of: notification, recorded, verifiedBy: key, at: endpoint, context, arrival)
            submission.part = RecordPart(number: index + 1, count: notifications.count)
            return submission
        }
    }

    /// The submission to the store for a verified request.
    func submission(
        of notification: Notification, _ recorded: RecordedRequest? = nil,
        verifiedBy key: String, at endpoint: Endpoint, _ context: RequestContext,
        _ arrival: Arrival
    ) -> Submission {
        var notification = notification
        endpoint.redactor.redact(&notification)
        return Submission(
            endpoint: endpoint.name, provider: endpoint.providerName, key: key,
            notification: notification, request: recorded ?? self.recorded(by: endpoint.redactor),
            peer: context.client == nil ? "" : context.clientText, received: arrival.received,
            trace: arrival.trace?.traceParent)
    }
}

extension Response {
    /// A provider's answer on the wire.
    init(_ answer: Answer, retryAfterSeconds: Int? = nil) {
        var fields: [(String, String)] = []
        if let type = answer.contentType { fields.append(("Content-Type", type)) }
        if let seconds = retryAfterSeconds { fields.append(("Retry-After", "\(seconds)")) }
        self.init(status: answer.status, fields: fields, body: answer.body)
    }
}
