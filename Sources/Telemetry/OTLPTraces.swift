import JSON
import Tracing

/// The body of a request to `/v1/traces`: an ExportTraceServiceRequest of OTLP 1 as JSON
/// (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding": ids in hex, 64-bit integers as
/// text, enumerations as numbers).
enum OTLPTraces {
    static func body(_ spans: [FinishedSpan], from resource: TelemetryResource) -> [UInt8] {
        JSONWriter.object(reserving: 512 * spans.count) { json in
            json.key("resourceSpans")
            json.beginArray()
            json.beginObject()
            resource.write(to: &json)
            json.key("scopeSpans")
            json.beginArray()
            json.beginObject()
            resource.writeScope(to: &json)
            json.key("spans")
            json.beginArray()
            for span in spans { write(span, to: &json) }
            json.endArray()
            json.endObject()
            json.endArray()
            json.endObject()
            json.endArray()
        }
    }

    private static func write(_ span: FinishedSpan, to json: inout JSONWriter) {
        json.beginObject()
        json.member("traceId", span.place.own.traceID)
        json.member("spanId", span.place.own.spanID)
        if let parent = span.place.parent { json.member("parentSpanId", TraceParent.hex(parent)) }
        // SpanFlags: the sampled bit of W3C's.
        json.member("flags", 1)
        json.member("name", span.name)
        json.member("kind", number(of: span.kind))
        json.member("startTimeUnixNano", String(span.began))
        json.member("endTimeUnixNano", String(span.ended))
        OTLPAttributes.write(span.attributes, to: &json)
        if !span.events.isEmpty {
            json.key("events")
            json.beginArray()
            for event in span.events {
                json.beginObject()
                json.member("timeUnixNano", String(event.nanosecondsSinceEpoch))
                json.member("name", event.name)
                OTLPAttributes.write(event.attributes, to: &json)
                json.endObject()
            }
            json.endArray()
        }
        writeLinks(span.links, to: &json)
        if let status = span.status {
            json.key("status")
            json.beginObject()
            json.member("code", status.code == .error ? 2 : 1)
            if let message = status.message { json.member("message", message) }
            json.endObject()
        }
        json.endObject()
    }

    private static func writeLinks(_ links: [SpanLink], to json: inout JSONWriter) {
        let linked = links.compactMap { link in link.context.traceParent.map { ($0, link) } }
        if linked.isEmpty { return }
        json.key("links")
        json.beginArray()
        for (place, link) in linked {
            json.beginObject()
            json.member("traceId", place.traceID)
            json.member("spanId", place.spanID)
            OTLPAttributes.write(link.attributes, to: &json)
            json.endObject()
        }
        json.endArray()
    }

    /// SpanKind of opentelemetry/proto/trace/v1/trace.proto.
    private static func number(of kind: SpanKind) -> Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}
