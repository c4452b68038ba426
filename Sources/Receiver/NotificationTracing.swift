import HTTP
import HTTPServer
import Payments
import Platform
import Providers
import Store
import Synchronization
import Telemetry
import Tracing

/// Traces notifications: one span for each request at an endpoint, with a span for each part of its
/// path.
package struct NotificationTracing: Sendable {
    private let tracer: any Tracer
    private let clock: any Clock

    package init(_ tracer: any Tracer, clock: any Clock) {
        self.tracer = tracer
        self.clock = clock
    }

    /// Begins the trace of a request, or continues that of the trusted proxy that passed it on.
    func begin(
        _ request: Request, at endpoint: Endpoint, _ context: RequestContext, _ arrival: Arrival
    ) -> NotificationTrace {
        var parent = InstrumentationContext.topLevel
        if context.isFromProxy { tracer.extract(request, into: &parent, using: HeaderExtractor()) }
        let began = context.timing?.began ?? arrival.monotonic
        let instants = TraceInstants(arrival)
        let path = String(decoding: endpoint.path, as: UTF8.self)
        let span = tracer.startSpan(
            "POST \(path)", context: parent, ofKind: .server, at: instants[began])
        span.updateAttributes {
            $0["http.request.method"] = "POST"
            $0["http.route"] = path
            $0["client.address"] = context.clientText
            $0["ipnd.endpoint"] = endpoint.name
            $0["ipnd.provider"] = endpoint.providerName
        }
        let trace = NotificationTrace(tracer, span, clock, instants, since: began)
        trace.begin(.verify, at: arrival.monotonic)
        context.timing?.onWritten { trace.finish(status: $0) }
        return trace
    }

    /// The header of a request, if it is there once.
    private struct HeaderExtractor: Extractor {
        func extract(key: String, from request: Request) -> String? {
            let values = request.values(key)
            return values.count == 1 ? String(decoding: values[0], as: UTF8.self) : nil
        }
    }
}

/// Points of the monotonic clock as times since 1970, by one reading of both clocks.
struct TraceInstants: Sendable {
    private let wall: UInt64
    private let monotonic: MonotonicTime

    init(_ arrival: Arrival) {
        wall = UInt64(clamping: arrival.received.microseconds) * 1000
        monotonic = arrival.monotonic
    }

    subscript(time: MonotonicTime) -> TraceInstant {
        let isLater = time >= monotonic
        let distance =
            isLater
            ? time.nanoseconds(since: monotonic) : monotonic.nanoseconds(since: time)
        return TraceInstant(nanosecondsSinceEpoch: isLater ? wall &+ distance : wall &- distance)
    }
}

/// The trace of one request, while traces are on.
final class NotificationTrace: Sendable {
    /// The parts of the path, in their order. Where the provider has to be asked, `ask` takes the
    /// place of `interpret` and `commit`.
    enum Part: String {
        case read, verify, interpret, commit, ask, answer
    }

    private let tracer: any Tracer
    private let span: any Tracing.Span
    private let clock: any Clock
    private let instants: TraceInstants
    /// The part that runs now, and when it began.
    private let current: Mutex<(part: Part, since: MonotonicTime)>

    fileprivate init(
        _ tracer: any Tracer, _ span: any Tracing.Span, _ clock: any Clock,
        _ instants: TraceInstants, since: MonotonicTime
    ) {
        self.tracer = tracer
        self.span = span
        self.clock = clock
        self.instants = instants
        current = Mutex((.read, since))
    }

    /// The place of this trace's span, for the record and for what continues the trace.
    var traceParent: String? {
        var text: String?
        tracer.inject(span.context, into: &text, using: TextInjector())
        return text
    }

    /// The span that what is done for this request is part of.
    var context: InstrumentationContext { span.context }

    /// Ends the part that runs now, and begins the next one.
    func begin(_ part: Part) { begin(part, at: clock.now) }

    fileprivate func begin(_ part: Part, at now: MonotonicTime) {
        let ended = current.withLock { exchange(&$0, with: (part, now)) }
        tracer.startSpan(ended.part.rawValue, context: span.context, at: instants[ended.since])
            .end(at: instants[now])
    }

    func recorded(_ outcome: Outcome, _ receipt: Receipt, _ notification: Notification) {
        begin(.answer)
        span.updateAttributes {
            $0["ipnd.outcome"] = outcome.rawValue
            $0["ipnd.event.kind"] = notification.kind
            $0["ipnd.event.status"] = notification.status
            $0["ipnd.order.status"] = receipt.status?.rawValue
            if let sequence = receipt.sequence { $0["ipnd.sequence"] = Int64(sequence) }
        }
        if case .refused(let refusal) = receipt.outcome { fail(refusal.reason) }
    }

    /// Several events of one request.
    func recorded(_ receipts: [Receipt]) {
        begin(.answer)
        span.attributes["ipnd.events"] = receipts.count
        for case .refused(let refusal) in receipts.map(\.outcome) { fail(refusal.reason) }
    }

    func looked(_ outcome: Outcome, _ question: InquiryQuestion) {
        begin(.answer)
        span.attributes["ipnd.outcome"] = outcome.rawValue
    }

    func refused(_ refusal: Refusal) {
        begin(.answer)
        span.attributes["ipnd.outcome"] = Outcome.refused.rawValue
        span.attributes["ipnd.reason"] = refusal.reason
        // Only what is ours to mend is an error of the server's.
        if refusal.kind == .unavailable { fail(refusal.reason) }
    }

    private func fail(_ reason: String) {
        span.attributes["ipnd.reason"] = reason
        span.setStatus(SpanStatus(code: .error, message: reason))
    }

    /// Ends the trace, when the answer is written.
    fileprivate func finish(status: Int) {
        let now = clock.now
        // Ends the part `answer`; nothing follows it.
        begin(.answer, at: now)
        span.attributes["http.response.status_code"] = status
        span.end(at: instants[now])
    }

    private struct TextInjector: Injector {
        func inject(_ value: String, forKey key: String, into text: inout String?) {
            if key == SpanTracer.header { text = value }
        }
    }
}
