import Foundation
import TestSupport
import Testing

/// Traces and metrics of the real binary, read as a collector reads them: by OpenTelemetry's own
/// protocol files.
@Suite(.ownThreads) struct TelemetryTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let parent = "00f067aa0ba902b7"

    /// The Python that has the protocol, which scripts/test installs.
    private static let python: String? = {
        let program = SourceTree.url(".build/python/bin/python3").path
        let tried = try? run(program, ["-c", "from opentelemetry.proto.trace.v1 import trace_pb2"])
        return tried?.status == 0 ? program : nil
    }()

    private static func instance(_ collector: UInt16, _ settings: String = "") throws -> Instance {
        try Instance(
            edit: { text in
                text.replacingOccurrences(
                    of: #"- address: "127.0.0.1:0""#,
                    with: """
                        - address: "127.0.0.1:0"
                            proxy: {trusted: [127.0.0.1/32], header: x-forwarded-for}
                        """)
                        + """

                        telemetry:
                          url: http://127.0.0.1:\(collector)/otlp
                          headers: {authorization: Bearer x}
                          serviceName: pay
                          tracesSeconds: 1
                          metricsSeconds: 1
                          \(settings)

                        """
            })
    }

    /// The spans that a collector was sent.
    private static func spans(_ collector: LocalServer) -> [[String: Any]] {
        collector.requests.filter { $0.hasPrefix("POST /otlp/v1/traces ") }.flatMap { request in
            let body = request.components(separatedBy: "\r\n\r\n").dropFirst().joined()
            let root = try? JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
            let resources = root?["resourceSpans"] as? [[String: Any]] ?? []
            let scopes = resources.flatMap { $0["scopeSpans"] as? [[String: Any]] ?? [] }
            return scopes.flatMap { $0["spans"] as? [[String: Any]] ?? [] }
        }
    }

    @Test func `a notification and its delivery are one trace`() throws {
        let collector = try LocalServer(answering: LocalServer.answer(200, "", body: "{}"))
        let shop = try LocalServer(answering: LocalServer.answer(204))
        let folder = TemporaryFolder()
        let secret = try folder.write("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
        let instance = try Self.instance(
            collector.port,
            "\ndestinations: [{name: shop, url: \"http://127.0.0.1:\(shop.port)/\", "
                + "secrets: [{file: \(secret)}]}]")
        let antom = try SandboxProvider("antom", of: instance)
        let place = "00-\(Self.trace)-\(Self.parent)-01"
        try instance.deliver(
            antom.delivery(reference: "T-1").replacing(header: "traceparent", with: place)
                .request())
        let names = ["read", "verify", "interpret", "commit", "answer", "POST", "deliver shop"]
        #expect(
            eventually {
                let sent = Self.spans(collector).compactMap { $0["name"] as? String }
                return names.allSatisfy { name in sent.contains { $0.hasPrefix(name) } }
            })
        let spans = Self.spans(collector)
        #expect(spans.allSatisfy { $0["traceId"] as? String == Self.trace })
        let whole = try #require(spans.first { ($0["name"] as? String)?.hasPrefix("POST") == true })
        #expect(whole["parentSpanId"] as? String == Self.parent)
        let delivery = try #require(spans.first { $0["name"] as? String == "deliver shop" })
        #expect(delivery["parentSpanId"] as? String == whole["spanId"] as? String)
        // The shop continues the trace, and the record has it.
        let id = try #require(delivery["spanId"] as? String)
        #expect(
            shop.requests.contains { $0.contains("\r\ntraceparent: 00-\(Self.trace)-\(id)-01\r\n") }
        )
        let events = try instance.admin().get("/events?after=0").body
        #expect(events.contains("\"trace\":\"00-\(Self.trace)-"))
        let request = try #require(collector.requests.first)
        #expect(request.contains("\r\nauthorization: Bearer x\r\n"))
        #expect(request.contains("\r\ncontent-type: application/json\r\n"))
        try Self.judge(collector.requests)
    }

    @Test func `the metrics are those of the page`() throws {
        let collector = try LocalServer(answering: LocalServer.answer(200, "", body: "{}"))
        let instance = try Self.instance(collector.port)
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "T-2").request())
        #expect(
            eventually {
                collector.requests.contains {
                    $0.hasPrefix("POST /otlp/v1/metrics ") && $0.contains(#""ipnd_sequence""#)
                        && $0.contains(#"{"stringValue":"recorded"}"#)
                }
            })
        let page = try instance.admin().get("/metrics").body
        let last = try #require(
            collector.requests.last { $0.hasPrefix("POST /otlp/v1/metrics ") })
        for line in page.split(separator: "\n") where line.hasPrefix("# TYPE ") {
            let words = line.split(separator: " ")
            let name = words[3] == "histogram" ? "\(words[2])_count" : "\(words[2])"
            guard page.contains("\n\(name)") else { continue }
            #expect(last.contains("\"name\":\"\(name)\""), "\(name)")
        }
        try Self.judge(collector.requests)
    }

    /// A collector that is away costs a count, and what waited is sent when it is back.
    @Test func `a collector that is away loses nothing that has room`() throws {
        let away = Box(true)
        let collector = try LocalServer { peer in
            while peer.readRequest() != nil {
                let answer =
                    away.get()
                    ? LocalServer.answer(503, "Retry-After: 1\r\n")
                    : LocalServer.answer(200, "", body: "{}")
                guard peer.write(answer) else { return }
            }
        }
        let instance = try Self.instance(
            collector.port, "signals: [traces]\n  spansMax: 8\n  batchMax: 8")
        let antom = try SandboxProvider("antom", of: instance)
        // Six spans each: the first fills the queue or the batch that is being sent.
        for number in 1...5 {
            try instance.deliver(antom.delivery(reference: "T-\(number)").request())
        }
        let admin = try instance.admin()
        #expect(
            try eventually {
                let page = try admin.get("/metrics").body
                return page.contains("\nipnd_trace_export_failures_total ")
                    && !page.contains("\nipnd_trace_export_failures_total 0\n")
                    && !page.contains("\nipnd_spans_total{result=\"dropped\"} 0\n")
            })
        away.set(false)
        #expect(
            try eventually { try admin.get("/metrics").body.contains("\nipnd_spans_waiting 0\n") })
        instance.stop()
        #expect(instance.logText.contains("traces cannot be exported: the collector answered 503"))
        #expect(instance.logText.contains("traces are exported again"))
    }

    /// Every body has to be a message of OpenTelemetry's protocol, without a field that it does not
    /// know. Its JSON has ids in hex, where protobuf's own has Base64.
    private static func judge(_ requests: [String]) throws {
        guard let python else { return }
        let code = """
            import base64, json, sys
            from google.protobuf import json_format
            from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces
            from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
            def ids(value):
                if isinstance(value, list):
                    return [ids(each) for each in value]
                if not isinstance(value, dict):
                    return value
                return {
                    key: base64.b64encode(bytes.fromhex(each)).decode()
                    if key in ("traceId", "spanId", "parentSpanId") else ids(each)
                    for key, each in value.items()
                }
            for line in sys.stdin:
                path, body = line.rstrip("\\n").split(" ", 1)
                message = (
                    traces.ExportTraceServiceRequest() if path.endswith("traces")
                    else metrics.ExportMetricsServiceRequest())
                json_format.ParseDict(ids(json.loads(body)), message)
                for resource in getattr(message, "resource_spans", []):
                    for span in resource.scope_spans[0].spans:
                        assert len(span.trace_id) == 16 and len(span.span_id) == 8
                        assert span.end_time_unix_nano >= span.start_time_unix_nano > 0
                print(message.WhichOneof and len(message.SerializeToString()) > 0)
            """
        let lines = requests.map { request in
            let parts = request.components(separatedBy: "\r\n\r\n")
            let path = parts[0].split(separator: " ")[1]
            return "\(path) \(parts.dropFirst().joined())\n"
        }
        let judged = try run(python, ["-c", code], input: lines.joined())
        #expect(judged.status == 0 && judged.lines == lines.map { _ in "True" }, "\(judged.errors)")
    }
}
