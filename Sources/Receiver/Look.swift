import HTTPServer
import Logging
import Payments
import Providers
import Tracing

/// Asks a provider about a notification that only says that something happened, and records the
/// answer.
package struct Look: Sendable {
    /// The result of the question.
    package enum Outcome: Sendable, Equatable {
        /// The answer is recorded, and these records are new. Empty where everything was known.
        case recorded([UInt64])
        /// The provider knows nothing by this id.
        case absent
        /// There was no answer that could be recorded; the reason for people.
        case failed(String, retryAfterSeconds: Int)
    }

    private let ask: @Sendable (_ endpoint: String, InquiryQuestion) async -> Outcome

    /// - Parameter ask: Returns when the facts of the answer are durable.
    package init(ask: @escaping @Sendable (_ endpoint: String, InquiryQuestion) async -> Outcome) {
        self.ask = ask
    }

    /// Where nothing can be asked: the provider sends the notification again.
    package static let unavailable = Look { _, _ in
        .failed("the endpoint has no `inquiry`", retryAfterSeconds: 60)
    }

    func callAsFunction(
        _ endpoint: Endpoint, _ question: InquiryQuestion, within trace: NotificationTrace?
    ) async -> Outcome {
        guard let trace else { return await ask(endpoint.name, question) }
        return await InstrumentationContext.withValue(trace.context) {
            await ask(endpoint.name, question)
        }
    }
}

extension RequestLog {
    /// Reports a notification whose answer is recorded, or about which its provider knows nothing.
    func looked(
        _ recorded: [UInt64]?, _ question: InquiryQuestion, at endpoint: Endpoint,
        _ context: RequestContext, _ arrival: Arrival
    ) {
        let outcome: Outcome = recorded.map { $0.isEmpty ? .duplicate : .recorded } ?? .ignored
        let micros = elapsedMicroseconds(since: arrival)
        arrival.trace?.looked(outcome, question)
        endpoint.counters.count(outcome, micros: micros)
        endpoint.counters.noteAccepted(at: arrival.received)
        guard .info >= level else { return }
        log(level: "info", "notification") { line in
            line.field("endpoint", endpoint.name)
            line.field("outcome", outcome.rawValue)
            line.field("kind", "look")
            line.field("transaction", question.value)
            if let first = recorded?.first { line.field("sequence", first) }
            line.field("client", context.clientText)
            line.field("micros", micros)
        }
    }
}
