import Testing
import Tracing

@testable import Telemetry

/// Spans of swift-distributed-tracing, and where they are in their trace.
@Suite struct SpanTracerTests {
    struct At: TracerInstant {
        let nanosecondsSinceEpoch: UInt64
        static func < (left: At, right: At) -> Bool {
            left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
        }
        init(_ nanoseconds: UInt64) { nanosecondsSinceEpoch = nanoseconds }
    }

    struct Headers: Extractor, Injector {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
            carrier[key] = value
        }
    }

    private let queue = SpanQueue(spansMax: 8, batchMax: 4)

    @Test func `a span and its parts are one trace`() {
        let tracer = SpanTracer(queue)
        let whole = tracer.startSpan(
            "POST /ipn/antom", context: .topLevel, ofKind: .server, at: At(1000))
        let part = tracer.startSpan("verify", context: whole.context, at: At(1100))
        part.end(at: At(1200))
        whole.attributes["ipnd.endpoint"] = "antom"
        whole.setStatus(.init(code: .ok))
        whole.end(at: At(2000))
        whole.end(at: At(3000))
        whole.attributes["late"] = true
        let spans = queue.take()
        #expect(spans.map(\.name) == ["verify", "POST /ipn/antom"])
        #expect(spans[0].place.own.traceID == spans[1].place.own.traceID)
        #expect(spans[0].place.parent == spans[1].place.own.span)
        #expect(spans[1].place.parent == nil && spans[1].kind == .server)
        #expect(spans[1].began == 1000 && spans[1].ended == 2000)
        #expect(spans[1].attributes == ["ipnd.endpoint": "antom"])
        #expect(spans[1].status == SpanStatus(code: .ok))
        #expect(!whole.isRecording)
    }

    @Test func `a header's trace is continued and passed on`() throws {
        let tracer = SpanTracer(queue)
        let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        var context = InstrumentationContext.topLevel
        tracer.extract(["traceparent": header], into: &context, using: Headers())
        let span = tracer.startSpan("x", context: context, at: At(1))
        var sent: [String: String] = [:]
        tracer.inject(span.context, into: &sent, using: Headers())
        let passed = try #require(TraceParent(sent["traceparent"] ?? ""))
        #expect(passed.traceID == "4bf92f3577b34da6a3ce929d0e0e4736" && passed.isSampled)
        #expect(passed.spanID != "00f067aa0ba902b7")
        span.end(at: At(2))
        #expect(queue.take().first?.place.parent == 0x00f0_67aa_0ba9_02b7)
        var none = InstrumentationContext.topLevel
        tracer.extract(["traceparent": "00-0"], into: &none, using: Headers())
        #expect(none.traceParent == nil)
    }

    @Test func `a trace that the caller did not record is not recorded`() {
        let tracer = SpanTracer(queue)
        var context = InstrumentationContext.topLevel
        context.traceParent = TraceParent(trace: (1, 2), span: 3, isSampled: false)
        let span = tracer.startSpan("x", context: context, at: At(1))
        #expect(!span.isRecording && span.context.traceParent?.isSampled == false)
        span.attributes["a"] = 1
        span.recordError(CancellationError())
        span.end(at: At(2))
        #expect(span.attributes.isEmpty && queue.figures.ended == 0)
    }

    @Test(arguments: [(0.0, 0), (1.0, 8)])
    func `a share of new traces is recorded`(_ share: Double, _ ended: Int) {
        let tracer = SpanTracer(queue, share: share)
        for _ in 0..<8 { tracer.startSpan("x", context: .topLevel, at: At(1)).end(at: At(2)) }
        #expect(queue.figures.ended == ended)
    }

    @Test func `an error is an event and the status`() {
        let span = SpanTracer(queue).startSpan("x", context: .topLevel, at: At(5))
        span.recordError(CancellationError(), attributes: ["n": 1], at: At(6))
        span.end(at: At(4))
        let finished = queue.take()[0]
        #expect(finished.ended == 5, "never before it began")
        #expect(finished.status?.code == .error)
        #expect(finished.events.map(\.name) == ["exception"])
        #expect(finished.events[0].nanosecondsSinceEpoch == 6)
        #expect(finished.events[0].attributes.get("exception.type") == "CancellationError")
    }

    @Test func `a full queue drops and counts`() {
        let tracer = SpanTracer(queue)
        for number in 0..<10 {
            tracer.startSpan("\(number)", context: .topLevel, at: At(1)).end(at: At(2))
        }
        #expect(queue.figures == .init(ended: 10, dropped: 2, waiting: 8))
        #expect(queue.take().map(\.name) == ["0", "1", "2", "3"])
        #expect(queue.take().map(\.name) == ["4", "5", "6", "7"])
        #expect(queue.take().isEmpty)
    }
}
