import Platform
import Tracing

/// An instant of ipnd's own clock, as swift-distributed-tracing takes it.
package struct TraceInstant: TracerInstant {
    package let nanosecondsSinceEpoch: UInt64

    package init(nanosecondsSinceEpoch: UInt64) {
        self.nanosecondsSinceEpoch = nanosecondsSinceEpoch
    }

    /// - Parameter microseconds: Since 1970.
    package init(microseconds: Int64) {
        self.init(nanosecondsSinceEpoch: UInt64(clamping: microseconds) * 1000)
    }

    package static func < (left: TraceInstant, right: TraceInstant) -> Bool {
        left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch
    }
}

/// Traces the requests that ipnd sends: deliveries and inquiries.
package struct WorkTracing: Sendable {
    private let tracer: any Tracer
    private let clock: any Clock

    package init(_ tracer: any Tracer, clock: any Clock) {
        self.tracer = tracer
        self.clock = clock
    }

    /// Runs `work` within a span. What `work` traces is part of it.
    ///
    /// - Parameter place: The `traceparent` of the span that this one continues. Without one it is
    ///   part of the current span, or begins a trace.
    package func trace<Outcome>(
        _ name: String, continuing place: String? = nil, _ work: (WorkSpan) async -> Outcome
    ) async -> Outcome {
        var context = InstrumentationContext.current ?? .topLevel
        if let place { tracer.extract(place, into: &context, using: PlaceExtractor()) }
        let span = tracer.startSpan(name, context: context, ofKind: .client, at: now)
        let outcome = await InstrumentationContext.withValue(span.context) {
            await work(WorkSpan(span: span))
        }
        span.end(at: now)
        return outcome
    }

    private var now: TraceInstant { TraceInstant(microseconds: clock.wallMicroseconds) }

    /// The `traceparent` of the span that runs now; nil while nothing is traced.
    package static var currentPlace: String? {
        InstrumentationContext.current?.traceParent?.text
    }

    private struct PlaceExtractor: Extractor {
        func extract(key: String, from place: String) -> String? {
            key == SpanTracer.header ? place : nil
        }
    }
}

/// The span of a delivery or an inquiry.
package struct WorkSpan {
    fileprivate let span: any Tracing.Span

    package func note(_ name: String, _ text: String) { span.attributes[name] = text }

    package func note(_ name: String, _ number: Int) { span.attributes[name] = number }

    /// Marks the work as failed, with a reason code.
    package func fail(_ reason: String) {
        span.attributes["ipnd.reason"] = reason
        span.setStatus(SpanStatus(code: .error, message: reason))
    }
}
