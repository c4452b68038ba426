import HTTP
import HTTPServer
import Payments
import Platform
import Providers
import Records
import Store

// Each module has its own words for a request, because none below the receiver knows the others.
// These are the translations; they copy references to the received bytes, never the bytes.

extension Request {
    /// What `endpoint`'s provider sees: the path is the one that it signed.
    func delivery(
        at endpoint: Endpoint, from client: IPAddress?, _ arrival: Arrival
    ) -> Delivery {
        Delivery(
            method: method.name, path: endpoint.signedPath, query: query, headers: fields,
            body: body, isFromNamedNetwork: endpoint.takesUnsigned(from: client),
            received: arrival.received)
    }

    /// What is known of it where no endpoint has its path.
    func delivery(_ arrival: Arrival) -> Delivery {
        Delivery(
            method: method.name, path: path, query: query, headers: fields, body: body,
            received: arrival.received)
    }

    /// What a record keeps.
    var recorded: RecordedRequest {
        RecordedRequest(method: method.name, target: target, headers: fields, body: body)
    }

    /// What goes to the store once the request is known to be genuine.
    func submission(
        of notification: Notification, verifiedBy key: String, at endpoint: Endpoint,
        _ context: RequestContext, _ arrival: Arrival
    ) -> Submission {
        Submission(
            endpoint: endpoint.name, provider: endpoint.providerName, key: key,
            notification: notification, request: recorded,
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
