import Platform
import TestSupport
import Testing
import Tracing

@testable import Telemetry

/// Work without a request is traced, too.
@Suite struct WorkTracingTests {
    private let queue = SpanQueue(spansMax: 10, batchMax: 10)
    private let clock = ManualClock()

    private var tracing: WorkTracing { WorkTracing(SpanTracer(queue), clock: clock) }

    @Test func `work continues the trace of its record`() async throws {
        let place = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let shown = await tracing.trace("deliver shop", continuing: place) { span in
            span.note("ipnd.attempt", 2)
            clock.advance(seconds: 3)
            return WorkTracing.currentPlace
        }
        let span = try #require(queue.take().first)
        #expect(span.name == "deliver shop" && span.kind == .client)
        #expect(span.place.own.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(span.place.parent == 0x00f0_67aa_0ba9_02b7)
        #expect(span.ended - span.began == 3_000_000_000)
        #expect(span.attributes.get("ipnd.attempt") == 2 && span.status == nil)
        #expect(shown == span.place.own.text)
        #expect(WorkTracing.currentPlace == nil)
    }

    @Test func `what work traces is part of it, and a failure is marked`() async throws {
        await tracing.trace("outer") { _ in
            await tracing.trace("inner") { $0.fail("timed_out") }
        }
        let spans = queue.take()
        #expect(spans.map(\.name) == ["inner", "outer"])
        #expect(spans[0].place.parent == spans[1].place.own.span)
        #expect(spans[0].status == SpanStatus(code: .error, message: "timed_out"))
        #expect(spans[1].place.parent == nil)
    }

    @Test func `a place that is not one begins a trace`() async {
        await tracing.trace("deliver shop", continuing: "nonsense") { _ in }
        #expect(queue.take().map(\.place.parent) == [nil])
    }
}
