import Bytes
import HTTP
import HTTPServer
import InMemoryTracing
import Payments
import Platform
import Providers
import Store
import Telemetry
import TestSupport
import Testing
import Tracing

@testable import Receiver

/// The trace of one request, with a tracer that keeps spans in memory.
@Suite(.ownThreads) struct NotificationTracingTests {
    private let tracer = InMemoryTracer()
    private let store = ListedStore()
    private let clock = ManualClock()
    private let metrics = Metrics()
    private let log = CapturedLines()

    private func receive(
        _ body: String, headers: [Header] = [], isFromProxy: Bool = false
    ) async -> [FinishedInMemorySpan] {
        await receive(body, headers: headers, isFromProxy: isFromProxy, by: tracer)
        return tracer.popFinishedSpans()
    }

    private func receive(
        _ body: String, headers: [Header], isFromProxy: Bool, by tracer: some Tracer
    ) async {
        let endpoint = Endpoint(
            name: "batch", path: "/ipn", publicPath: nil, providerName: "acme",
            provider: BatchProvider(sendsOneEvent: false), allow: [],
            counters: metrics.counters(of: "batch"))
        let requestLog = RequestLog(
            sink: log.sink, format: .text, metrics: metrics, rejections: nil, repeatSeconds: 0)
        let receiver = Receiver(
            endpoints: EndpointTable([endpoint], inspectedBytesMax: 0), store: store,
            requestLog: requestLog, tracing: NotificationTracing(tracer, clock: clock),
            eventsPerRequestMax: 2)
        #expect(receiver.timesRequests)
        let target = Array("/ipn".utf8)[...]
        let request = Request(
            method: .post, target: target, path: target, query: nil, version: .http11,
            fields: headers, body: Array(body.utf8), keepAlive: true)
        let timing = RequestTiming(began: clock.now)
        let context = RequestContext(
            peer: .unix(path: ""), client: nil, isTLS: false, clientCertificate: nil,
            isFromProxy: isFromProxy, timing: timing)
        let response = await receiver.respond(to: request, in: context)
        timing.written(status: response.status)
        timing.written(status: response.status)
    }

    @Test func `a notification is one span with a span for each part`() async throws {
        let spans = await receive("A")
        #expect(
            spans.map(\.operationName) == [
                "read", "verify", "interpret", "commit", "answer", "POST /ipn",
            ])
        let whole = try #require(spans.last)
        #expect(spans.dropLast().allSatisfy { $0.parentSpanID == whole.spanID })
        #expect(Set(spans.map(\.traceID)).count == 1)
        #expect(whole.kind == .server && whole.status == nil)
        #expect(whole.attributes.get("ipnd.endpoint") == "batch")
        #expect(whole.attributes.get("ipnd.provider") == "acme")
        #expect(whole.attributes.get("ipnd.outcome") == "recorded")
        #expect(whole.attributes.get("ipnd.sequence") == 1)
        #expect(whole.attributes.get("http.response.status_code") == 204)
    }

    @Test func `the record has the place of the request`() async throws {
        let queue = SpanQueue(spansMax: 10, batchMax: 10)
        let place = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
        await receive(
            "A B", headers: [Header("traceparent", place)], isFromProxy: true,
            by: SpanTracer(queue))
        // The proxy does not record this trace, so nor does ipnd; the destination may.
        #expect(queue.take().isEmpty)
        let places = Set(store.requests.flatMap(\.self).map(\.trace))
        let kept = try #require(places.first ?? nil)
        #expect(places.count == 1)
        #expect(kept.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-") && kept.hasSuffix("-00"))
        #expect(kept != place)
    }

    @Test func `several events are one trace`() async throws {
        let whole = try #require(await receive("A B").last)
        #expect(whole.attributes.get("ipnd.events") == 2)
    }

    @Test func `a store without room is an error, a refusal is not`() async throws {
        store.refuse(.noSpace)
        let failed = try #require(await receive("A B").last)
        #expect(failed.status == SpanStatus(code: .error, message: "no_space"))
        #expect(failed.attributes.get("http.response.status_code") == 503)
        let refused = await receive("A B C")
        #expect(refused.last?.status == nil)
        #expect(refused.last?.attributes.get("ipnd.reason") == "events_too_many")
        #expect(refused.last?.attributes.get("ipnd.outcome") == "refused")
        #expect(!refused.map(\.operationName).contains("commit"))
    }

    @Test(arguments: [true, false])
    func `only a trusted proxy's trace is continued`(_ isFromProxy: Bool) async throws {
        let headers = [
            Header(InMemoryTracer.traceIDKey, "trace-9"),
            Header(InMemoryTracer.spanIDKey, "span-9"),
        ]
        let whole = try #require(
            await receive("A", headers: headers, isFromProxy: isFromProxy).last)
        #expect((whole.traceID == "trace-9") == isFromProxy)
        #expect((whole.parentSpanID == "span-9") == isFromProxy)
    }
}
