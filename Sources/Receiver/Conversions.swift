import HTTP
import HTTPServer
import Payments
import Providers
import Store

// Each module has its own words for a request, because none below the receiver knows the others.
// These are the translations; they copy references to the received bytes, never the bytes.

extension Delivery {
    /// What `endpoint`'s provider sees of a request: the path is the one that it signed.
    init(_ request: Request, at endpoint: Endpoint) {
        self.init(
            method: request.method.name, path: endpoint.signedPath, query: request.query,
            headers: request.fields, body: request.body)
    }
}

extension RecordedRequest {
    /// What the record keeps of a request.
    init(_ request: Request) {
        self.init(
            method: request.method.name, target: request.target,
            headers: request.fields,
            body: request.body)
    }
}

extension Submission {
    init(
        _ notification: Notification, verifiedBy key: String, _ request: Request,
        at endpoint: Endpoint, _ context: RequestContext, _ arrival: Arrival
    ) {
        self.init(
            endpoint: endpoint.name, provider: endpoint.providerName, key: key,
            notification: notification, request: RecordedRequest(request),
            peer: context.client == nil ? "" : context.clientText, received: arrival.received)
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
