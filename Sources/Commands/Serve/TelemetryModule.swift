import AdminAPI
import Logging
import Platform
import Receiver
import ServerConfiguration
import Synchronization
import Telemetry
import WebClient

/// Wires traces and metrics to a collector of OpenTelemetry.
final class TelemetryModule: Sendable {
    private struct Spans {
        let queue: SpanQueue
        let tracer: SpanTracer
        let exporter: SpanExporter
    }

    private struct Running {
        var metrics: MetricsExporter?
        var tasks: [Task<Void, Never>] = []
    }

    private let telemetry: TelemetryConfiguration
    private let resource: TelemetryResource
    private let client: WebClient
    private let collector: Collector
    private let spans: Spans?
    private let running = Mutex(Running())
    private let clock: any Clock
    private let log: @Sendable (Bool, String) -> Void

    /// Nil without `telemetry`. Nothing is sent before ``begin(_:)``.
    init?(_ configuration: Configuration, _ logger: Logger, clock: any Clock) {
        guard let telemetry = configuration.telemetry else { return nil }
        self.telemetry = telemetry
        self.clock = clock
        client = WebClient(idleConnectionsMax: 2)
        collector = Collector(
            client, telemetry.url, headers: telemetry.headers, route: telemetry.route)
        resource = TelemetryResource(
            serviceName: telemetry.serviceName, version: Ipnd.version, instance: ProcessLabel.text)
        log = { isWarning, text in
            logger.log(level: isWarning ? .warning : .info, "\(text)")
        }
        spans =
            telemetry.sendsTraces
            ? Self.spans(telemetry, resource, collector, clock, log) : nil
    }

    private static func spans(
        _ telemetry: TelemetryConfiguration, _ resource: TelemetryResource,
        _ collector: Collector, _ clock: any Clock,
        _ log: @escaping @Sendable (Bool, String) -> Void
    ) -> Spans {
        let bell = TurnBell(clock: clock)
        let queue = SpanQueue(spansMax: telemetry.spansMax, batchMax: telemetry.batchMax) {
            bell.ring()
        }
        return Spans(
            queue: queue,
            tracer: SpanTracer(queue, share: Double(telemetry.tracesPercent) / 100),
            exporter: SpanExporter(
                queue, from: resource, bell: bell, intervalSeconds: telemetry.tracesSeconds,
                clock: clock, post: collector.post(.traces), log: log))
    }

    /// Starts the exports.
    func begin(_ figures: Figures) {
        var running = Running()
        if let exporter = spans?.exporter {
            running.tasks.append(
                Task(executorPreference: BackgroundExecutor.shared) { await exporter.run() })
        }
        if telemetry.sendsMetrics {
            let exporter = metrics(figures)
            running.metrics = exporter
            running.tasks.append(
                Task(executorPreference: BackgroundExecutor.shared) { await exporter.run() })
        }
        self.running.withLock { $0 = running }
    }

    private func metrics(_ figures: Figures) -> MetricsExporter {
        let backend = MetricsBackend()
        let recorder = MetricsRecorder(backend)
        return MetricsExporter(
            backend, from: resource, intervalSeconds: telemetry.metricsSeconds, clock: clock,
            update: {
                let page = String(decoding: await figures.page(), as: UTF8.self)
                recorder.record(MetricsReading(page))
            }, post: collector.post(.metrics), log: log)
    }

    /// Traces requests at endpoints; nil while traces are off.
    var notifications: NotificationTracing? {
        spans.map { NotificationTracing($0.tracer, clock: clock) }
    }

    /// Traces deliveries and inquiries; nil while traces are off.
    var work: WorkTracing? { spans.map { WorkTracing($0.tracer, clock: clock) } }

    /// Writes the metrics of the exports.
    func write(to page: inout MetricsPage) async {
        if let spans {
            page.write(spans: spans.queue.figures, await spans.exporter.figures)
        }
        if let metrics = running.withLock(\.metrics) {
            page.write(metricsFailures: await metrics.failures)
        }
    }

    /// Longest wait for what is still to be sent.
    private static let stopSecondsMax = 5

    /// Sends what waits, for a limited time.
    func stop() async {
        let running = running.withLock { $0 }
        for task in running.tasks { task.cancel() }
        let last = Task(executorPreference: WorkerPool.shared) { [spans] in
            for task in running.tasks { await task.value }
            await spans?.exporter.finish()
            await running.metrics?.send()
        }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Task(executorPreference: WorkerPool.shared) {
            await last.value
            end.finish()
        }
        Task(executorPreference: WorkerPool.shared) { [clock] in
            try? await clock.sleep(seconds: Self.stopSecondsMax)
            end.finish()
        }
        for await _ in ends {}
        last.cancel()
        client.close()
    }
}
