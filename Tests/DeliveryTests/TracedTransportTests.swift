import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import Delivery

/// Each attempt is a span, and passes its place on.
@Suite struct TracedTransportTests {
    private final class ScriptedTransport: DeliveryTransport {
        let messages = Mutex<[DeliveryMessage]>([])
        let outcome: AttemptOutcome

        init(_ outcome: AttemptOutcome) { self.outcome = outcome }

        func attempt(_ message: DeliveryMessage) async -> AttemptOutcome {
            messages.withLock { $0.append(message) }
            return outcome
        }

        func shownURL(of destination: String) -> String? { "https://\(destination)" }
    }

    private let queue = SpanQueue(spansMax: 10, batchMax: 10)

    private func attempt(
        _ outcome: AttemptOutcome, trace: String?
    ) async throws -> (sent: DeliveryMessage, outcome: AttemptOutcome, span: FinishedSpan) {
        let scripted = ScriptedTransport(outcome)
        let transport = TracedTransport(
            scripted, WorkTracing(SpanTracer(queue), clock: ManualClock()))
        #expect(transport.shownURL(of: "shop") == "https://shop")
        var message = WebhookMessageTests.message()
        message.trace = trace
        let result = await transport.attempt(message)
        let sent = try #require(scripted.messages.withLock { $0.first })
        return (sent, result, try #require(queue.take().first))
    }

    @Test func `an attempt is part of the trace of its event`() async throws {
        let place = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let done = AttemptOutcome(status: 204, latencyMicroseconds: 5)
        let (sent, outcome, span) = try await attempt(done, trace: place)
        #expect(outcome == done && span.name == "deliver shop" && span.status == nil)
        #expect(sent.trace == span.place.own.text && sent.trace != place)
        #expect(span.place.own.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(span.attributes.get("ipnd.sequence") == 42)
        #expect(span.attributes.get("http.response.status_code") == 204)
        var same = sent
        same.trace = nil
        #expect(same == WebhookMessageTests.message())
    }

    @Test func `a failed attempt is a failed span`() async throws {
        let failed = AttemptOutcome(status: 503, latencyMicroseconds: 5)
        let (_, _, span) = try await attempt(failed, trace: nil)
        #expect(span.status?.message == "status_503" && span.place.parent == nil)
        let lost = AttemptOutcome(.timeout, latencyMicroseconds: 5)
        #expect(try await attempt(lost, trace: nil).span.status?.message == lost.reason)
    }
}
