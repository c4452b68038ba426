import JSON
import Platform
import Synchronization
import TestSupport
import Testing
import Tracing
import WebClient

@testable import Telemetry

/// The collector's answer decides whether a batch is sent again.
@Suite struct SpanExporterTests {
    /// A collector that gives these answers, and then takes everything.
    private final class ScriptedCollector: Sendable {
        let answers: Mutex<[Collector.Answer]>
        let bodies = Mutex<[[UInt8]]>([])
        let lines = Mutex<[String]>([])

        init(_ answers: [Collector.Answer]) { self.answers = Mutex(answers) }

        func take(_ body: [UInt8]) -> Collector.Answer {
            bodies.withLock { $0.append(body) }
            return answers.withLock { $0.isEmpty ? .taken(refused: 0) : $0.removeFirst() }
        }

        func log(_ isWarning: Bool, _ text: String) {
            lines.withLock { $0.append("\(isWarning ? "warning" : "notice"): \(text)") }
        }
    }

    private let clock = ManualClock()
    private let queue = SpanQueue(spansMax: 100, batchMax: 2)

    private func exporter(_ collector: ScriptedCollector) -> SpanExporter {
        SpanExporter(
            queue,
            from: TelemetryResource(serviceName: "ipnd", version: "1", instance: "i"),
            bell: TurnBell(clock: clock), intervalSeconds: 5, clock: clock,
            post: { collector.take($0) }, log: { collector.log($0, $1) })
    }

    private func end(_ count: Int) {
        for number in 0..<count {
            SpanTracer(queue).startSpan("\(number)", context: .topLevel).end()
        }
    }

    @Test func `everything that waits is sent in batches`() async throws {
        let collector = ScriptedCollector([])
        let exporter = exporter(collector)
        end(5)
        await exporter.sendAll()
        #expect(await exporter.figures == .init(sent: 5))
        let names = try collector.bodies.withLock { $0 }.map { body in
            let root = try JSONDocument(parsing: body).root
            let resource = try #require(root["resourceSpans"]?.elements.map(\.self).first)
            let scope = try #require(resource["scopeSpans"]?.elements.map(\.self).first)
            return scope["spans"]?.elements.compactMap { $0["name"]?.string }
        }
        #expect(names == [["0", "1"], ["2", "3"], ["4"]])
    }

    @Test func `what is not taken now is sent again later`() async {
        let collector = ScriptedCollector([
            .later(problem: "503", seconds: nil), .later(problem: "503", seconds: 7),
        ])
        let exporter = exporter(collector)
        end(1)
        await exporter.sendAll()
        await exporter.sendAll()
        #expect(collector.bodies.withLock { $0.count } == 1, "not before a second")
        clock.advance(seconds: 1)
        await exporter.sendAll()
        clock.advance(seconds: 6)
        await exporter.sendAll()
        #expect(collector.bodies.withLock { $0.count } == 2, "not before its Retry-After")
        clock.advance(seconds: 1)
        await exporter.sendAll()
        #expect(await exporter.figures == .init(sent: 1, failures: 2))
        let bodies = collector.bodies.withLock { $0 }
        #expect(bodies.count == 3 && Set(bodies).count == 1)
        #expect(
            collector.lines.withLock { $0 } == [
                "warning: traces cannot be exported: 503", "notice: traces are exported again",
            ])
    }

    @Test func `what is refused is dropped and counted`() async {
        let collector = ScriptedCollector([.refused(problem: "400"), .taken(refused: 1)])
        let exporter = exporter(collector)
        end(4)
        await exporter.sendAll()
        #expect(await exporter.figures == .init(sent: 1, refused: 3, failures: 1))
    }

    @Test(arguments: [
        (200, "{}", Collector.Answer.taken(refused: 0)),
        (200, #"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"x"}}"#, .taken(refused: 3)),
        (202, "", .taken(refused: 0)), (200, "not JSON", .taken(refused: 0)),
        (400, "", .refused(problem: "the collector answered 400")),
        (404, "", .refused(problem: "the collector answered 404")),
        (302, "", .refused(problem: "the collector answered 302")),
        (429, "", .later(problem: "the collector answered 429", seconds: 9)),
        (503, "", .later(problem: "the collector answered 503", seconds: 9)),
    ])
    func `an answer is read`(_ status: Int, _ body: String, _ answer: Collector.Answer) {
        #expect(
            Collector.Answer(status: status, body: Array(body.utf8), retryAfterSeconds: 9)
                == answer)
    }
}
