import JSON

/// The body of a request to `/v1/metrics`: an ExportMetricsServiceRequest of OTLP 1 as JSON.
///
/// Counters are cumulative sums since the start, so that a body that was lost costs nothing but
/// its moment.
enum OTLPMetrics {
    /// AGGREGATION_TEMPORALITY_CUMULATIVE of opentelemetry/proto/metrics/v1/metrics.proto.
    private static let cumulative = 2

    /// - Parameters:
    ///   - began: Nanoseconds since 1970 at which the counters were 0.
    ///   - now: Nanoseconds since 1970.
    static func body(
        _ backend: MetricsBackend, from resource: TelemetryResource, began: UInt64, now: UInt64
    ) -> [UInt8] {
        let all = backend.all
        return JSONWriter.object(reserving: 256 * all.count) { json in
            json.key("resourceMetrics")
            json.beginArray()
            json.beginObject()
            resource.write(to: &json)
            json.key("scopeMetrics")
            json.beginArray()
            json.beginObject()
            resource.writeScope(to: &json)
            json.key("metrics")
            json.beginArray()
            var rest = all[...]
            while let first = rest.first {
                let same = rest.prefix { $0.series.name == first.series.name }
                rest = rest.dropFirst(same.count)
                write(same.map { ($0.series, $0.value) }, first.isCounter, began, now, to: &json)
            }
            json.endArray()
            json.endObject()
            json.endArray()
            json.endObject()
            json.endArray()
        }
    }

    /// The points of one name.
    private static func write(
        _ points: [(series: MetricsBackend.Series, value: Double)], _ isCounter: Bool,
        _ began: UInt64, _ now: UInt64, to json: inout JSONWriter
    ) {
        json.beginObject()
        json.member("name", points[0].series.name)
        json.key(isCounter ? "sum" : "gauge")
        json.beginObject()
        json.key("dataPoints")
        json.beginArray()
        for point in points where point.value.isFinite {
            json.beginObject()
            OTLPAttributes.write(
                point.series.labels.map { ($0.name, .string($0.value)) }, to: &json)
            if isCounter { json.member("startTimeUnixNano", String(began)) }
            json.member("timeUnixNano", String(now))
            json.key("asDouble")
            json.raw(Array("\(point.value)".utf8)[...])
            json.endObject()
        }
        json.endArray()
        if isCounter {
            json.member("aggregationTemporality", cumulative)
            json.member("isMonotonic", true)
        }
        json.endObject()
        json.endObject()
    }
}
