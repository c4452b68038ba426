import Bytes
import Platform
import Synchronization
import WebClient

/// Sends messages to their destinations as webhooks.
package final class WebhookTransport: DeliveryTransport {
    private let client: WebClient
    private let limits: DeliveryLimits
    private let clock: any Clock
    private let targets: Mutex<[String: WebhookTarget]>

    /// - Parameters:
    ///   - targets: By the destination's name.
    ///   - clock: Source of the time that is signed.
    package init(
        _ client: WebClient, _ targets: [String: WebhookTarget], limits: DeliveryLimits = .init(),
        clock: any Clock
    ) {
        self.client = client
        self.limits = limits
        self.clock = clock
        self.targets = Mutex(targets)
    }

    package func shownURL(of destination: String) -> String? {
        targets.withLock { $0[destination]?.url.withoutQuery }
    }

    /// Replaces the targets for attempts that start from now on.
    package func replace(_ fresh: [String: WebhookTarget]) { targets.withLock { $0 = fresh } }

    package func attempt(_ message: DeliveryMessage) async -> AttemptOutcome {
        guard let target = targets.withLock({ $0[message.destination] }) else {
            return AttemptOutcome(
                .failed, latencyMicroseconds: 0, detail: "no destination \(message.destination)")
        }
        let webhook = WebhookMessage(message)
        let seconds = clock.wallMicroseconds / 1_000_000
        guard let headers = webhook.headers(signer: target.signer, seconds: seconds) else {
            return AttemptOutcome(.failed, latencyMicroseconds: 0, detail: "signing failed")
        }
        do throws(WebFailure) {
            let response = try await client.send(request(target, headers, webhook.body))
            return AttemptOutcome(response, retryAfterSecondsMax: limits.retryAfterSecondsMax)
        } catch {
            return AttemptOutcome(error)
        }
    }

    private func request(
        _ target: WebhookTarget, _ headers: [Header], _ body: [UInt8]
    ) -> WebRequest {
        let milliseconds = Self.milliseconds(target.timeoutSeconds)
        var request = WebRequest(
            "POST", target.url, headers: headers + target.headers, body: body, route: target.route)
        request.limits.exchangeMillisecondsMax = milliseconds
        request.limits.connectMillisecondsMax = min(
            milliseconds, Self.milliseconds(limits.connectSecondsMax))
        request.limits.keptBytesMax = limits.excerptBytesMax
        request.limits.bodyBytesMax = limits.answerBytesMax
        request.limits.headBytesMax = limits.answerHeadBytesMax
        return request
    }

    private static func milliseconds(_ seconds: Double) -> Int {
        Int((seconds * 1000).rounded(.up))
    }
}

extension AttemptOutcome {
    init(_ response: WebResponse, retryAfterSecondsMax: Double) {
        self.init(
            status: response.status, latencyMicroseconds: response.latencyMicroseconds,
            retryAfterSeconds: response.retryAfterSeconds.map {
                min(Double($0), retryAfterSecondsMax)
            }, excerpt: response.body)
    }

    init(_ failure: WebFailure) {
        self.init(
            failure.reason, status: failure.status,
            latencyMicroseconds: failure.latencyMicroseconds, detail: failure.detail,
            excerpt: failure.body)
    }
}
