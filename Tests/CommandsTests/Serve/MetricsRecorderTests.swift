import AdminAPI
import CoreMetrics
import Synchronization
import Testing

@testable import Commands

/// A backend of swift-metrics gets the figures of the page.
@Suite struct MetricsRecorderTests {
    /// A backend that keeps what it is told.
    private final class ListedMetrics: MetricsFactory {
        final class Handler: CounterHandler, FloatingPointCounterHandler, MeterHandler,
            RecorderHandler, TimerHandler
        {
            let name: String
            let list: ListedMetrics

            init(_ name: String, _ list: ListedMetrics) {
                self.name = name
                self.list = list
            }

            private func note(_ text: String) { list.lines.withLock { $0.append(name + text) } }
            func increment(by amount: Int64) { note("+\(amount)") }
            func increment(by amount: Double) { note("+\(amount)") }
            func decrement(by amount: Double) { note("-\(amount)") }
            func reset() { note(" reset") }
            func set(_ value: Int64) { note("=\(value)") }
            func set(_ value: Double) { note("=\(value)") }
            func record(_ value: Int64) { note("~\(value)") }
            func record(_ value: Double) { note("~\(value)") }
            func recordNanoseconds(_ duration: Int64) { note("~\(duration)") }
        }

        let lines = Mutex<[String]>([])

        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines.sorted()
            }
        }

        private func handler(_ label: String, _ dimensions: [(String, String)]) -> Handler {
            Handler(label + dimensions.map { "{\($0)=\($1)}" }.joined(), self)
        }

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            handler(label, dimensions)
        }
        func makeFloatingPointCounter(
            label: String, dimensions: [(String, String)]
        ) -> any FloatingPointCounterHandler { handler(label, dimensions) }
        func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
            handler(label, dimensions)
        }
        func makeRecorder(
            label: String, dimensions: [(String, String)], aggregate: Bool
        ) -> any RecorderHandler { handler(label, dimensions) }
        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            handler(label, dimensions)
        }
        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {
            if let handler = handler as? Handler {
                lines.withLock { $0.append("-" + handler.name) }
            }
        }
        func destroyMeter(_ handler: any MeterHandler) {
            if let handler = handler as? Handler {
                lines.withLock { $0.append("-" + handler.name) }
            }
        }
        func destroyRecorder(_ handler: any RecorderHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}
    }

    private static func page(_ samples: String...) -> MetricsReading {
        MetricsReading(
            "# TYPE n_total counter\n# TYPE g gauge\n# TYPE h histogram\n"
                + samples.joined(separator: "\n") + "\n")
    }

    @Test func `counters grow and gauges are set`() {
        let backend = ListedMetrics()
        let recorder = MetricsRecorder(backend)
        recorder.record(
            Self.page(#"n_total{b="2",a="1"} 5"#, "g 7", #"h_bucket{le="0.1"} 3"#, "h_sum 0.25"))
        #expect(
            backend.take() == [
                "g=7.0", "h_bucket{le=0.1}+3.0", "h_sum+0.25", "n_total{a=1}{b=2}+5.0",
            ])
        recorder.record(Self.page(#"n_total{b="2",a="1"} 8"#, "g 6", #"h_bucket{le="0.1"} 3"#))
        #expect(
            backend.take() == ["-h_sum", "g=6.0", "h_bucket{le=0.1}+0.0", "n_total{a=1}{b=2}+3.0"])
        // A counter that began again.
        recorder.record(Self.page(#"n_total{b="2",a="1"} 2"#))
        #expect(backend.take() == ["-g", "-h_bucket{le=0.1}", "n_total{a=1}{b=2}+2.0"])
    }
}
