import Bytes
import JSON
import WebClient

/// A collector of OpenTelemetry, and how it is reached: OTLP over HTTP, with JSON
/// (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP").
package struct Collector: Sendable {
    /// The kinds of data, each with its own path.
    package enum Signal: String, Sendable, CaseIterable {
        case traces, metrics
    }

    /// A collector's answer to one request.
    package enum Answer: Sendable, Equatable {
        /// Taken, but for this number of spans or points.
        case taken(refused: Int)
        /// To be sent again, after this number of seconds if the collector names one.
        case later(problem: String, seconds: Int?)
        /// Never to be sent again.
        case refused(problem: String)
    }

    /// Sends one body.
    package typealias Post = @Sendable (_ body: [UInt8]) async -> Answer

    private let client: WebClient
    private let url: WebURL
    private let headers: [Header]
    private let route: WebRoute

    /// Longest time for one request.
    private static let exchangeMillisecondsMax = 10_000
    private static let connectMillisecondsMax = 5_000
    /// Bytes of an answer that are read.
    private static let answerBytesMax = 65_536

    /// - Parameter url: The collector's base address, to which the signals' paths are appended.
    package init(_ client: WebClient, _ url: WebURL, headers: [Header], route: WebRoute) {
        self.client = client
        self.url = url
        self.headers = headers
        self.route = route
    }

    /// The URL of a signal; nil where the base cannot be continued by a path.
    package static func url(of signal: Signal, at base: WebURL) -> WebURL? {
        var text = base.withoutQuery
        if text.hasSuffix("/") { text.removeLast() }
        return try? WebURL("\(text)/v1/\(signal.rawValue)")
    }

    /// Sends bodies of a signal.
    package func post(_ signal: Signal) -> Post {
        let url = Self.url(of: signal, at: url) ?? url
        return { [client, headers, route] body in
            var request = WebRequest(
                "POST", url, headers: [Header("content-type", "application/json")] + headers,
                body: body, route: route)
            request.limits.exchangeMillisecondsMax = Self.exchangeMillisecondsMax
            request.limits.connectMillisecondsMax = Self.connectMillisecondsMax
            request.limits.keptBytesMax = Self.answerBytesMax
            request.limits.bodyBytesMax = Self.answerBytesMax
            do throws(WebFailure) { return Answer(try await client.send(request)) } catch {
                return .later(problem: error.reason.rawValue, seconds: nil)
            }
        }
    }
}

extension Collector.Answer {
    init(_ response: WebResponse) {
        self.init(
            status: response.status, body: response.body,
            retryAfterSeconds: response.retryAfterSeconds)
    }

    init(status: Int, body: [UInt8], retryAfterSeconds: Int?) {
        let problem = "the collector answered \(status)"
        switch status {
        case 200..<300: self = .taken(refused: Self.refused(body))
        case 429, 502, 503, 504: self = .later(problem: problem, seconds: retryAfterSeconds)
        default: self = .refused(problem: problem)
        }
    }

    /// The count that a partial success names; the answer is JSON where the request is.
    private static func refused(_ body: [UInt8]) -> Int {
        guard let partial = (try? JSONDocument(parsing: body))?.root["partialSuccess"],
            let rejected = partial["rejectedSpans"] ?? partial["rejectedDataPoints"]
        else { return 0 }
        return max(0, rejected.int64.map { Int($0) } ?? rejected.string.flatMap { Int($0) } ?? 0)
    }
}
