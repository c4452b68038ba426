import Payments
import Platform
import Providers
import RawClient

/// Sends requests again, one after another: their order is part of what is replayed.
package struct Replayer {
    private let courier: any Courier
    private let host: String
    private let target: String?
    private let pace: ReplayPace
    private let clock: any SimulationClock
    private let judge = AnswerJudge()
    private var index = 0
    private var first: Timestamp?
    private var start = Duration.zero

    /// - Parameters:
    ///   - host: The `Host` header for what has none.
    ///   - target: Takes the place of every request's own target; nil keeps them.
    package init(
        courier: any Courier, host: String, target: String? = nil, pace: ReplayPace = .fastest,
        clock: any SimulationClock = ScaledClock(speed: 1)
    ) {
        self.courier = courier
        self.host = host
        self.target = target
        self.pace = pace
        self.clock = clock
    }

    /// Sends one when it is due.
    package mutating func send(_ item: ReplayItem) -> ReplayExchange {
        if index == 0 {
            first = item.received
            start = clock.elapsed
        }
        let wait =
            pace.due(index: index, received: item.received, first: first)
            - (clock.elapsed - start)
        if wait > .zero { clock.pause(wait) }
        index += 1
        let began = MonotonicTime.now()
        let result: Result<ReceivedResponse, ClientError>
        do throws(ClientError) {
            result = .success(
                try courier.deliver(
                    item.bytes(host: host, target: target),
                    answersHead: item.request.method == "HEAD"))
        } catch {
            result = .failure(error)
        }
        let micros = (MonotonicTime.now().nanoseconds - began.nanoseconds) / 1000
        return ReplayExchange(
            item: item, result: result, judgement: judge.judge(result, by: item.provider),
            micros: micros)
    }
}
