import Glibc
import Platform
import Providers
import RawClient
import Synchronization

/// Sends a plan: stage by stage, in each stage with this many couriers at once.
package struct SimulationRun: Sendable {
    private let sender: any Sender
    private let host: String
    /// Nil sends everything once.
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

    /// One copy of one delivery: a place in the work of a stage.
    private struct Work {
        var delivery: SimulationDelivery
        var copy: Int
        var request: [UInt8]
    }

    /// Sends everything and reports each exchange as it ends, one at a time.
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

    /// Attempts until the provider is satisfied or its schedule is over.
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
    /// What the provider makes of an answer, or of none.
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
    /// The bytes of a signed notification on the wire.
    package static func encode(_ delivery: OutboundDelivery, host: String) -> [UInt8] {
        encode(
            method: delivery.method, target: Array(delivery.target.utf8)[...], host: host,
            headers: delivery.headers.map { ($0.name, $0.value) }, body: delivery.body)
    }
}

/// Takes a request somewhere and brings back the answer. One thread uses it at a time.
package protocol Courier: AnyObject {
    /// - Throws: ``ClientError`` where no answer came.
    func deliver(_ request: [UInt8], answersHead: Bool) throws(ClientError) -> ReceivedResponse
}

extension RawClient: Courier {
    package func deliver(
        _ request: [UInt8], answersHead: Bool
    ) throws(ClientError) -> ReceivedResponse {
        try exchange(request, answersHead: answersHead)
    }
}

/// When a provider tries again.
package struct RetrySchedule: Sendable, Equatable {
    /// The pauses between attempts, the first one before the second attempt.
    package let pauses: [Duration]
    /// Whether the provider publishes them.
    package let isPublished: Bool

    package init(pauses: [Duration], isPublished: Bool) {
        self.pauses = pauses
        self.isPublished = isPublished
    }

    /// The sender's published schedule. Where there is none, one that nobody published stands for
    /// it, so that retrying can be tried at all: 1, 5 and 30 minutes, 2 hours, 12 hours.
    package init(_ sender: any Sender) {
        let published = sender.publishedRetrySchedule
        self.init(
            pauses: published.isEmpty
                ? [.seconds(60), .seconds(300), .seconds(1800), .seconds(7200), .seconds(43_200)]
                : published,
            isPublished: !published.isEmpty)
    }

    /// The pause after attempt `attempt` (from 1); nil where it was the last.
    package func pause(after attempt: Int) -> Duration? {
        pauses.indices.contains(attempt - 1) ? pauses[attempt - 1] : nil
    }
}

/// The provider's clock, on which the pauses of its schedule are measured: it runs `speed` times as
/// fast as `time`.
package struct ScaledClock: Sendable {
    private let speed: Double
    package let time: any Clock
    private let start: MonotonicTime

    package init(_ time: any Clock, speed: Double) {
        self.time = time
        self.speed = speed
        start = time.now
    }

    /// How far it has run since it was made.
    package var elapsed: Duration {
        let real = time.now.nanoseconds(since: start)
        return .nanoseconds(Int64(min(Double(real) * speed, 9e18)))
    }

    /// How much of `time` a pause takes, in nanoseconds.
    package func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let exact = (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / speed
        return exact >= 9e18 ? .max : max(0, Int64(exact))
    }

    /// Returns when `duration` of this clock has gone by.
    package func pause(_ duration: Duration) {
        time.block(until: time.now.advanced(nanoseconds: UInt64(nanoseconds(duration))))
    }
}
