import Platform

/// Sends the metrics of a ``MetricsBackend`` to a collector at an interval, by OTLP over HTTP.
///
/// Nothing is kept for later: the next body has the same counters, further on.
package actor MetricsExporter {
    /// Runs at low priority, so that it never delays the intake.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        BackgroundExecutor.shared.asUnownedSerialExecutor()
    }

    private let backend: MetricsBackend
    private let resource: TelemetryResource
    private let post: Collector.Post
    private let clock: any Clock
    private let update: @Sendable () async -> Void
    private let log: @Sendable (_ isWarning: Bool, _ text: String) -> Void
    private let intervalMicroseconds: Int64
    private let began: UInt64
    private var isFailing = false
    /// Bodies that the collector did not take.
    package private(set) var failures = 0

    /// - Parameters:
    ///   - intervalSeconds: From one body to the next.
    ///   - update: Brings the metrics of the backend up to date.
    ///   - log: Called when sending begins to fail, and when it works again.
    package init(
        _ backend: MetricsBackend, from resource: TelemetryResource, intervalSeconds: Int,
        clock: any Clock, update: @escaping @Sendable () async -> Void,
        post: @escaping Collector.Post,
        log: @escaping @Sendable (_ isWarning: Bool, _ text: String) -> Void
    ) {
        self.backend = backend
        self.resource = resource
        self.clock = clock
        self.update = update
        self.post = post
        self.log = log
        intervalMicroseconds = Int64(intervalSeconds) * 1_000_000
        began = TraceInstant(microseconds: clock.wallMicroseconds).nanosecondsSinceEpoch
    }

    /// Sends until cancelled.
    package func run() async {
        while !Task.isCancelled {
            do { try await clock.sleep(microseconds: intervalMicroseconds) } catch { return }
            await send()
        }
    }

    /// Sends the metrics once.
    package func send() async {
        await update()
        let now = TraceInstant(microseconds: clock.wallMicroseconds).nanosecondsSinceEpoch
        let body = OTLPMetrics.body(backend, from: resource, began: began, now: now)
        switch await post(body) {
        case .taken:
            if isFailing { log(false, "metrics are exported again") }
            isFailing = false
        case .later(let problem, _), .refused(let problem):
            if Task.isCancelled { return }
            failures += 1
            if !isFailing { log(true, "metrics cannot be exported: \(problem)") }
            isFailing = true
        }
    }
}
