import CoreMetrics
import JSON
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Telemetry

/// A collector gets the values that a program reports to swift-metrics.
@Suite struct OTLPMetricsTests {
    private let backend = MetricsBackend()
    private let clock = ManualClock()

    private func metrics(_ body: [UInt8]) throws -> [String: JSONValue] {
        let root = try JSONDocument(parsing: body).root
        let resource = try #require(root["resourceMetrics"]?.elements.map(\.self).first)
        let scope = try #require(resource["scopeMetrics"]?.elements.map(\.self).first)
        var found: [String: JSONValue] = [:]
        for metric in try #require(scope["metrics"]).elements {
            found[metric["name"]?.string ?? ""] = metric
        }
        return found
    }

    private func body() -> [UInt8] {
        OTLPMetrics.body(
            backend, from: TelemetryResource(serviceName: "s", version: "1", instance: "i"),
            began: 1, now: 2)
    }

    @Test func `counters are sums with a start, and gauges are values`() throws {
        let counter = Counter(label: "c", dimensions: [("k", "a")], factory: backend)
        counter.increment(by: 2)
        Counter(label: "c", dimensions: [("k", "a")], factory: backend).increment()
        Counter(label: "c", dimensions: [("k", "b")], factory: backend).increment()
        FloatingPointCounter(label: "f", factory: backend).increment(by: 0.5)
        Meter(label: "g", factory: backend).set(7)
        Gauge(label: "h", factory: backend).record(1.5)
        let found = try metrics(body())
        #expect(found.keys.sorted() == ["c", "f", "g", "h"])
        let sum = try #require(found["c"]?["sum"])
        #expect(sum["aggregationTemporality"]?.int64 == 2)
        let points = try #require(sum["dataPoints"]).elements.map(\.self)
        #expect(points.map { $0["asDouble"]?.lexeme } == ["3.0", "1.0"])
        #expect(points.map { $0["startTimeUnixNano"]?.string } == ["1", "1"])
        let attribute = points[1]["attributes"]?.elements.map(\.self).first
        #expect(attribute?["key"]?.string == "k")
        #expect(attribute?["value"]?["stringValue"]?.string == "b")
        let gauge = found["g"]?["gauge"]?["dataPoints"]?.elements.map(\.self).first
        #expect(gauge?["asDouble"]?.lexeme == "7.0")
        #expect(gauge?["startTimeUnixNano"] == nil)
        counter.destroy()
        #expect(try metrics(body())["c"]?["sum"]?["dataPoints"]?.elements.map(\.self).count == 1)
    }

    @Test func `a distribution is its sum and its count`() throws {
        let recorder = Recorder(label: "r", factory: backend)
        recorder.record(2)
        recorder.record(3)
        Timer(label: "t", factory: backend).recordNanoseconds(9)
        let values = backend.all.map { "\($0.series.name)=\($0.value)" }
        #expect(
            values == [
                "r_count=2.0", "r_sum=5.0", "t_nanoseconds_count=1.0",
                "t_nanoseconds_sum=9.0",
            ])
        recorder.destroy()
        #expect(backend.all.count == 2)
    }

    @Test func `a body that is not taken is counted and said once`() async {
        let answers = Mutex<[Collector.Answer]>([
            .later(problem: "503", seconds: 9), .refused(problem: "400"),
        ])
        let lines = Mutex<[String]>([])
        let updates = Mutex(0)
        let exporter = MetricsExporter(
            backend, from: TelemetryResource(serviceName: "s", version: "1", instance: "i"),
            intervalSeconds: 30, clock: clock, update: { updates.withLock { $0 += 1 } },
            post: { _ in
                answers.withLock { $0.isEmpty ? .taken(refused: 0) : $0.removeFirst() }
            }, log: { isWarning, text in lines.withLock { $0.append("\(isWarning) \(text)") } })
        for _ in 0..<4 { await exporter.send() }
        #expect(await exporter.failures == 2 && updates.withLock { $0 } == 4)
        #expect(
            lines.withLock { $0 } == [
                "true metrics cannot be exported: 503", "false metrics are exported again",
            ])
    }
}
