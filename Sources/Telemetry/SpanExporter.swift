import Platform

/// Sends the spans of a ``SpanQueue`` to a collector, in batches, by OTLP over HTTP.
///
/// A batch that the collector cannot take now (429, 502, 503, 504, or no answer) is sent again,
/// after its `Retry-After` or growing pauses; one that it refuses is dropped and counted
/// (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP Response").
package actor SpanExporter {
    /// Runs at low priority, so that it never delays the intake.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        BackgroundExecutor.shared.asUnownedSerialExecutor()
    }

    /// Counters of the spans that left the queue.
    package struct Figures: Sendable, Equatable {
        package var sent = 0
        /// Refused by the collector.
        package var refused = 0
        /// Attempts that did not succeed.
        package var failures = 0
    }

    private let queue: SpanQueue
    private let resource: TelemetryResource
    private let post: Collector.Post
    private let clock: any Clock
    private let log: @Sendable (_ isWarning: Bool, _ text: String) -> Void
    private var bell: TurnBell
    private let intervalMicroseconds: Int64

    /// The batch that was not taken yet.
    private var pending: [FinishedSpan] = []
    private var retryMicroseconds = SpanExporter.retryMicrosecondsMin
    private var retryTime: Int64 = 0
    private var isFailing = false
    package private(set) var figures = Figures()

    private static let retryMicrosecondsMin: Int64 = 1_000_000
    private static let retryMicrosecondsMax: Int64 = 60_000_000

    /// - Parameters:
    ///   - bell: Rung by the queue when a whole batch waits.
    ///   - intervalSeconds: The longest time that a span waits while the collector answers.
    ///   - log: Called when sending begins to fail, and when it works again.
    package init(
        _ queue: SpanQueue, from resource: TelemetryResource, bell: TurnBell,
        intervalSeconds: Int, clock: any Clock, post: @escaping Collector.Post,
        log: @escaping @Sendable (_ isWarning: Bool, _ text: String) -> Void
    ) {
        self.queue = queue
        self.resource = resource
        self.bell = bell
        self.clock = clock
        self.post = post
        self.log = log
        intervalMicroseconds = Int64(intervalSeconds) * 1_000_000
    }

    /// Sends until cancelled.
    package func run() async {
        bell.ring(at: clock.wallMicroseconds + intervalMicroseconds)
        for await _ in bell.rings {
            if Task.isCancelled { break }
            await sendAll()
            let next = pending.isEmpty ? clock.wallMicroseconds + intervalMicroseconds : retryTime
            bell.ring(at: next)
        }
        bell.cancel()
    }

    /// Sends what waits, until all of it is sent or the collector takes nothing.
    package func sendAll() async {
        guard pending.isEmpty || clock.wallMicroseconds >= retryTime else { return }
        await sendWaiting()
    }

    /// Sends once more what waits, also where the collector asked for a pause. After ``run()``.
    package func finish() async { await sendWaiting() }

    private func sendWaiting() async {
        while !Task.isCancelled {
            if pending.isEmpty { pending = queue.take() }
            if pending.isEmpty { return }
            switch await post(OTLPTraces.body(pending, from: resource)) {
            case .taken(let refused):
                figures.sent += pending.count - refused
                figures.refused += refused
                worked()
            case .refused(let problem):
                figures.refused += pending.count
                figures.failures += 1
                failed(problem)
                pending = []
            case .later(let problem, let seconds):
                // `finish()` sends the interrupted batch.
                if Task.isCancelled { return }
                figures.failures += 1
                failed(problem)
                let pause = seconds.map { Int64($0) * 1_000_000 } ?? retryMicroseconds
                retryTime =
                    clock.wallMicroseconds + min(max(pause, 0), Self.retryMicrosecondsMax)
                retryMicroseconds = min(retryMicroseconds * 2, Self.retryMicrosecondsMax)
                return
            }
        }
    }

    private func worked() {
        pending = []
        retryMicroseconds = Self.retryMicrosecondsMin
        if isFailing { log(false, "traces are exported again") }
        isFailing = false
    }

    private func failed(_ problem: String) {
        if !isFailing { log(true, "traces cannot be exported: \(problem)") }
        isFailing = true
    }
}
