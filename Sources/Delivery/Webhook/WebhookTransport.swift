import Bytes
import Platform
import Synchronization
import WebClient

/// Carries messages to their destinations as webhooks.
package final class WebhookTransport: DeliveryTransport {
    /// Longest `Retry-After` that counts. A destination that asks for more is asked again after it.
    package static let retryAfterSecondsMax = 86_400
    /// Bytes of an answer that are read. An answer only has to say 2xx.
    package static let answerBytesMax = 1 << 20
    /// Longest wait for a connection, of the destination's own timeout.
    private static let connectMillisecondsMax = 10_000

    private let client: WebClient
    private let targets: Mutex<[String: WebhookTarget]>

    /// - Parameter targets: By the destination's name.
    package init(_ client: WebClient, _ targets: [String: WebhookTarget]) {
        self.client = client
        self.targets = Mutex(targets)
    }

    /// Takes other targets for the attempts that begin from here on.
    package func replace(_ fresh: [String: WebhookTarget]) { targets.withLock { $0 = fresh } }

    package func attempt(_ message: DeliveryMessage) async -> AttemptOutcome {
        guard let target = targets.withLock({ $0[message.destination] }) else {
            return AttemptOutcome(
                .failed, latencyMicroseconds: 0, detail: "no destination \(message.destination)")
        }
        let webhook = WebhookMessage(message)
        let seconds = WallClock.microseconds() / 1_000_000
        guard let headers = webhook.headers(signer: target.signer, seconds: seconds) else {
            return AttemptOutcome(.failed, latencyMicroseconds: 0, detail: "signing failed")
        }
        do throws(WebFailure) {
            return AttemptOutcome(
                try await client.send(Self.request(target, headers, webhook.body)))
        } catch {
            return AttemptOutcome(error)
        }
    }

    private static func request(
        _ target: WebhookTarget, _ headers: [Header], _ body: [UInt8]
    ) -> WebRequest {
        let milliseconds = Int((target.timeoutSeconds * 1000).rounded(.up))
        var request = WebRequest(
            "POST", target.url, headers: headers + target.headers, body: body, way: target.way)
        request.limits.exchangeMillisecondsMax = milliseconds
        request.limits.connectMillisecondsMax = min(milliseconds, connectMillisecondsMax)
        request.limits.keptBytesMax = AttemptOutcome.excerptBytesMax
        request.limits.bodyBytesMax = answerBytesMax
        return request
    }
}

extension AttemptOutcome {
    init(_ response: WebResponse) {
        self.init(
            status: response.status, latencyMicroseconds: response.latencyMicroseconds,
            retryAfterSeconds: response.retryAfterSeconds.map {
                Double(min($0, WebhookTransport.retryAfterSecondsMax))
            }, excerpt: response.body)
    }

    init(_ failure: WebFailure) {
        self.init(
            failure.reason, status: failure.status,
            latencyMicroseconds: failure.latencyMicroseconds, detail: failure.detail,
            excerpt: failure.body)
    }
}
