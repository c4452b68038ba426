import Platform
import Synchronization
import Tracing

/// A tracer of swift-distributed-tracing whose finished spans go into a ``SpanQueue``.
///
/// The trace continues that of the context's ``TraceParent``, which ``extract(_:into:using:)``
/// takes from a header. A new one is recorded with the probability `share`.
package struct SpanTracer: Tracer {
    private let queue: SpanQueue
    private let share: Double

    /// - Parameters:
    ///   - queue: Takes the finished spans.
    ///   - share: The part of new traces that is recorded, from 0 to 1.
    package init(_ queue: SpanQueue, share: Double = 1) {
        self.queue = queue
        self.share = share
    }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context.traceParent
        let own = TraceParent(
            trace: parent?.trace ?? (.random(in: 1 ... .max), .random(in: .min ... .max)),
            span: .random(in: 1 ... .max),
            isSampled: parent?.isSampled ?? (share >= 1 || .random(in: 0..<1) < share))
        context.traceParent = own
        return RecordedSpan(
            operationName, context, FinishedSpan.Place(own: own, parent: parent?.span), kind,
            began: instant().nanosecondsSinceEpoch, queue: own.isSampled ? queue : nil)
    }

    package func forceFlush() {}

    package static let header = "traceparent"

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: Self.header, from: carrier) else { return }
        context.traceParent = TraceParent(text)
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let parent = context.traceParent else { return }
        injector.inject(parent.text, forKey: Self.header, into: &carrier)
    }
}

private enum TraceParentKey: InstrumentationContextKey {
    typealias Value = TraceParent
    static var nameOverride: String? { "traceparent" }
}

extension InstrumentationContext {
    /// The span that new spans are part of.
    package var traceParent: TraceParent? {
        get { self[TraceParentKey.self] }
        set { self[TraceParentKey.self] = newValue }
    }
}

/// A span that has ended.
package struct FinishedSpan: Sendable {
    /// Where it is in its trace.
    package struct Place: Sendable, Equatable {
        package let own: TraceParent
        /// The id of the span that it is a part of.
        package let parent: UInt64?
    }

    package let place: Place
    package var name: String
    package let kind: SpanKind
    /// Nanoseconds since 1970.
    package let began: UInt64
    package var ended: UInt64
    package var attributes: SpanAttributes = [:]
    package var status: SpanStatus?
    package var events: [SpanEvent] = []
    package var links: [SpanLink] = []
}

/// A span that ``SpanTracer`` has started. Without a queue it only has a place in its trace.
package final class RecordedSpan: Tracing.Span {
    package let context: InstrumentationContext
    private let queue: SpanQueue?
    private let state: Mutex<(span: FinishedSpan, hasEnded: Bool)>

    fileprivate init(
        _ name: String, _ context: InstrumentationContext, _ place: FinishedSpan.Place,
        _ kind: SpanKind, began: UInt64, queue: SpanQueue?
    ) {
        self.context = context
        self.queue = queue
        state = Mutex(
            (FinishedSpan(place: place, name: name, kind: kind, began: began, ended: 0), false))
    }

    package var isRecording: Bool { queue != nil && state.withLock { !$0.hasEnded } }

    package var operationName: String {
        get { state.withLock { $0.span.name } }
        set { change { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock { $0.span.attributes } }
        set { change { $0.attributes = newValue } }
    }

    package func setStatus(_ status: SpanStatus) { change { $0.status = status } }
    package func addEvent(_ event: SpanEvent) { change { $0.events.append(event) } }
    package func addLink(_ link: SpanLink) { change { $0.links.append(link) } }

    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.type"] = "\(type(of: error))"
        attributes["exception.message"] = "\(error)"
        let event = SpanEvent(name: "exception", at: instant(), attributes: attributes)
        change {
            $0.events.append(event)
            $0.status = SpanStatus(code: .error, message: "\(error)")
        }
    }

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let queue else { return }
        let time = instant().nanosecondsSinceEpoch
        let finished: FinishedSpan? = state.withLock { state in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            state.span.ended = max(time, state.span.began)
            return state.span
        }
        if let finished { queue.add(finished) }
    }

    /// A span that is not recorded, or has ended, keeps what it had.
    private func change(_ change: (inout FinishedSpan) -> Void) {
        guard queue != nil else { return }
        state.withLock { if !$0.hasEnded { change(&$0.span) } }
    }
}
