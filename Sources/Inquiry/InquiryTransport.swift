import Bytes
import Payments
import Platform
import Providers
import Redaction
import Store
import WebClient

/// The provider of one endpoint, and how to ask it.
package struct InquiryTarget: Sendable {
    /// The names of the endpoint and of its provider.
    package let endpoint: String
    package let provider: String
    package let inquirer: any Inquirer
    /// Reads the provider's list of events; nil where it has none.
    package var lister: (any EventLister)?
    /// The gap in seconds after which the list is read without being asked to; nil for never.
    package var backfillAfterGapSeconds: Double?
    /// Removes from questions and answers what must not be stored.
    package var redactor = Redactor()
    /// The provider's origin. No answer changes it.
    package let url: WebURL
    package let route: WebRoute
    package let timeoutSeconds: Double
    /// Whether it is asked by its own ids where they are known.
    package let prefersTransaction: Bool
    /// Whether it can be asked by the merchant's reference.
    package let knowsReferences: Bool
    /// Seconds between two questions about one order.
    package let pauseSeconds: Double
    /// When orders are asked about without a command, and the limits of that.
    package let schedule: InquirySchedule

    package init(
        endpoint: String, provider: String, inquirer: any Inquirer, url: WebURL,
        route: WebRoute = WebRoute(), timeoutSeconds: Double = 20, prefersTransaction: Bool = false,
        knowsReferences: Bool = true, pauseSeconds: Double = 5,
        schedule: InquirySchedule = InquirySchedule()
    ) {
        self.endpoint = endpoint
        self.provider = provider
        self.inquirer = inquirer
        self.url = url
        self.route = route
        self.timeoutSeconds = timeoutSeconds
        self.prefersTransaction = prefersTransaction
        self.knowsReferences = knowsReferences
        self.pauseSeconds = pauseSeconds
        self.schedule = schedule
    }
}

/// The right to ask about an order now.
package struct InquiryPermit: Sendable {
    let name: OrderName
    let target: InquiryTarget
}

/// Sends a request to a provider.
package protocol InquiryTransport: Sendable {
    /// - Throws: ``InquiryFailure`` where there is no complete answer.
    func send(
        _ request: InquiryRequest, to target: InquiryTarget
    ) async throws(InquiryFailure) -> InquiryAnswer
}

/// Why there is no complete answer.
package struct InquiryFailure: Error, Sendable, Equatable {
    /// A reason code of `WebFailure`.
    package let reason: String
    package let detail: String

    package init(reason: String, detail: String) {
        self.reason = reason
        self.detail = detail
    }
}

/// Sends requests with libcurl: verifies certificate and host name, follows no redirect, and bounds
/// time and size.
package struct WebInquiryTransport: InquiryTransport {
    /// Bytes of an answer that are read and kept.
    package static let answerBytesMax = 1 << 20

    private let client: WebClient
    private let clock: any Clock

    package init(_ client: WebClient, clock: any Clock) {
        self.client = client
        self.clock = clock
    }

    package func send(
        _ request: InquiryRequest, to target: InquiryTarget
    ) async throws(InquiryFailure) -> InquiryAnswer {
        let url: WebURL
        do throws(WebURL.Mistake) { url = try WebURL(target.url.origin + request.target) } catch {
            throw InquiryFailure(reason: "request_invalid", detail: "the URL \(error.rawValue)")
        }
        // The request's target must not change the host.
        guard url.origin == target.url.origin else {
            throw InquiryFailure(reason: "request_invalid", detail: "the URL names another host")
        }
        let milliseconds = Int((target.timeoutSeconds * 1000).rounded(.up))
        var exchange = WebRequest(
            request.method, url, headers: request.headers, body: request.body, route: target.route)
        exchange.limits.exchangeMillisecondsMax = milliseconds
        exchange.limits.connectMillisecondsMax = milliseconds
        exchange.limits.keptBytesMax = Self.answerBytesMax
        exchange.limits.bodyBytesMax = Self.answerBytesMax
        do throws(WebFailure) {
            let response = try await client.send(exchange)
            var answer = InquiryAnswer(
                status: response.status, headers: response.headers, body: response.body,
                received: Timestamp(microseconds: clock.wallMicroseconds))
            answer.retryAfterSeconds = response.retryAfterSeconds
            return answer
        } catch {
            throw InquiryFailure(reason: error.reason.rawValue, detail: error.detail)
        }
    }
}
