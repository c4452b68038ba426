import Glibc
import Platform
import Providers
import RawClient
import Synchronization

/// Sends a plan stage by stage, each stage with `concurrency` couriers.
package struct SimulationRun: Sendable {
    private let sender: any Sender
    private let host: String
    /// The retry schedule; nil sends everything once.
    private let schedule: RetrySchedule?
    private let clock: ScaledClock
    private let concurrency: Int
    private let makeCourier: @Sendable () -> any Courier

    /// - Parameters:
    ///   - host: The `Host` header.
    ///   - makeCourier: Called once on each thread.
    package init(
        sender: any Sender, host: String, schedule: RetrySchedule? = nil,
        clock: ScaledClock, concurrency: Int = 1,
        makeCourier: @escaping @Sendable () -> any Courier
    ) {
        self.sender = sender
        self.host = host
        self.schedule = schedule
        self.clock = clock
        self.concurrency = max(1, concurrency)
        self.makeCourier = makeCourier
    }

    /// One copy of one delivery.
    private struct Work {
        var delivery: SimulationDelivery
        var copy: Int
        var request: [UInt8]
    }

    /// Sends everything. Calls `report` with each finished exchange, one at a time.
    package func run(_ plan: SimulationPlan, report: @escaping @Sendable (Exchange) -> Void) {
        let reporter = Mutex(report)
        for stage in plan.stages {
            let work = stage.flatMap { delivery in
                let request = RequestBytes.encode(delivery.outbound, host: host)
                return (1...max(1, delivery.copies)).map {
                    Work(delivery: delivery, copy: $0, request: request)
                }
            }
            run(work) { exchange in reporter.withLock { $0(exchange) } }
        }
    }

    private func run(_ work: [Work], report: @escaping @Sendable (Exchange) -> Void) {
        let next = Atomic(0)
        let turn: @Sendable () -> Int? = {
            let index = next.add(1, ordering: .relaxed).oldValue
            return index < work.count ? index : nil
        }
        let lanes = min(concurrency, work.count)
        guard lanes > 1 else {
            let courier = makeCourier()
            for item in work { send(item, by: courier, report) }
            return
        }
        withThreads(lanes) {
            let courier = makeCourier()
            while let index = turn() { send(work[index], by: courier, report) }
        }
    }

    private func withThreads(_ count: Int, _ body: @escaping @Sendable () -> Void) {
        let threads = (0..<count).map { PlatformThread(name: "send-\($0)", body) }
        for thread in threads { thread.join() }
    }

    /// Sends until the answer is satisfactory or the schedule ends.
    private func send(_ work: Work, by courier: any Courier, _ report: (Exchange) -> Void) {
        var elapsed = Duration.zero
        var attempt = 1
        while true {
            let exchange = attemptOnce(work, attempt, elapsed, courier)
            report(exchange)
            guard !exchange.isSatisfactory, let pause = schedule?.pause(after: attempt) else {
                return
            }
            clock.pause(pause)
            elapsed += pause
            attempt += 1
        }
    }

    private func attemptOnce(
        _ work: Work, _ attempt: Int, _ elapsed: Duration, _ courier: any Courier
    ) -> Exchange {
        let began = clock.time.now
        let result: Result<ReceivedResponse, ClientError>
        do throws(ClientError) {
            let isHead = work.delivery.outbound.method == "HEAD"
            result = .success(try courier.deliver(work.request, answersHead: isHead))
        } catch {
            result = .failure(error)
        }
        let micros = clock.time.now.nanoseconds(since: began) / 1000
        return Exchange(
            delivery: work.delivery, copy: work.copy, attempt: attempt, elapsed: elapsed,
            result: result, verdict: sender.judge(result), micros: micros)
    }
}

extension Sender {
    /// The provider's verdict on an answer, or on a failure.
    package func judge(_ result: Result<ReceivedResponse, ClientError>) -> AnswerVerdict {
        switch result {
        case .success(let response):
            judge(
                status: response.status, contentType: response.value("content-type"),
                body: response.body)
        case .failure(let error): .sendsAgain("\(error)")
        }
    }
}

extension RequestBytes {
    /// Encodes a signed notification as an HTTP request.
    package static func encode(_ delivery: OutboundRequest, host: String) -> [UInt8] {
        encode(
            method: delivery.method, target: Array(delivery.target.utf8)[...], host: host,
            headers: delivery.headers.map { ($0.name, $0.value) }, body: delivery.body)
    }
}

/// Sends a request and returns the answer. Used by one thread at a time.
package protocol Courier: AnyObject {
    /// - Throws: ``ClientError`` without an answer.
    func deliver(_ request: [UInt8], answersHead: Bool) throws(ClientError) -> ReceivedResponse
}

extension RawClient: Courier {
    package func deliver(
        _ request: [UInt8], answersHead: Bool
    ) throws(ClientError) -> ReceivedResponse {
        try exchange(request, answersHead: answersHead)
    }
}

/// A provider's retry schedule.
package struct RetrySchedule: Sendable, Equatable {
    /// The pauses between attempts, the first one before the second attempt.
    package let pauses: [Duration]
    /// Whether the provider publishes them.
    package let isPublished: Bool

    package init(pauses: [Duration], isPublished: Bool) {
        self.pauses = pauses
        self.isPublished = isPublished
    }

    /// The sender's published schedule, or a substitute if it publishes none: 1, 5 and 30 minutes,
    /// 2 hours, 12 hours.
    package init(_ sender: any Sender) {
        let published = sender.publishedRetrySchedule
        self.init(
            pauses: published.isEmpty
                ? [.seconds(60), .seconds(300), .seconds(1800), .seconds(7200), .seconds(43_200)]
                : published,
            isPublished: !published.isEmpty)
    }

    /// The pause after attempt `attempt` (from 1); nil after the last.
    package func pause(after attempt: Int) -> Duration? {
        pauses.indices.contains(attempt - 1) ? pauses[attempt - 1] : nil
    }
}

/// The provider's clock, by which its retry schedule runs: `time`, accelerated by `speed`.
package struct ScaledClock: Sendable {
    private let speed: Double
    package let time: any Clock
    private let start: MonotonicTime

    package init(_ time: any Clock, speed: Double) {
        self.time = time
        self.speed = speed
        start = time.now
    }

    /// The time since its creation.
    package var elapsed: Duration {
        let real = time.now.nanoseconds(since: start)
        return .nanoseconds(Int64(min(Double(real) * speed, 9e18)))
    }

    /// The length of a pause on `time`, in nanoseconds.
    package func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let exact = (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / speed
        return exact >= 9e18 ? .max : max(0, Int64(exact))
    }

    /// Waits for `duration` of this clock.
    package func pause(_ duration: Duration) {
        time.block(until: time.now.advanced(nanoseconds: UInt64(nanoseconds(duration))))
    }
}
