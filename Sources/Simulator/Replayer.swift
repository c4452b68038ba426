import JSON
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
    private let clock: ScaledClock
    private let judge = AnswerJudge()
    private var index = 0
    private var first: Timestamp?
    private var start = Duration.zero

    /// - Parameters:
    ///   - host: The `Host` header for what has none.
    ///   - target: Takes the place of every request's own target; nil keeps them.
    package init(
        courier: any Courier, host: String, target: String? = nil, pace: ReplayPace = .fastest,
        clock: ScaledClock
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
        let began = clock.time.now
        let result: Result<ReceivedResponse, ClientError>
        do throws(ClientError) {
            result = .success(
                try courier.deliver(
                    item.bytes(host: host, target: target),
                    answersHead: item.request.method == "HEAD"))
        } catch {
            result = .failure(error)
        }
        let micros = clock.time.now.nanoseconds(since: began) / 1000
        return ReplayExchange(
            item: item, result: result, verdict: judge.judge(result, by: item.provider),
            micros: micros)
    }
}

/// One request that was sent again, with what came back.
package struct ReplayExchange: Sendable {
    package let item: ReplayItem
    package let result: Result<ReceivedResponse, ClientError>
    package let verdict: AnswerVerdict
    package let micros: UInt64

    /// `{"type":"exchange","name":"#42","endpoint":…,"status":200,…}`, without the newline.
    package var json: [UInt8] {
        JSONWriter.object(reserving: 256) { json in
            json.member("type", "exchange")
            json.member("name", item.name)
            json.member("endpoint", ifPresent: item.endpoint)
            json.member("target", String(decoding: item.request.target, as: UTF8.self))
            json.member("bytes", item.request.body.count)
            result.write(to: &json)
            verdict.write(to: &json)
            json.member("micros", micros)
        }
    }
}

/// How fast requests are sent again.
package enum ReplayPace: Sendable, Equatable {
    /// Each as soon as the one before is answered.
    case fastest
    /// With the pauses with which they came.
    case recorded
    case perSecond(Double)

    /// `fastest`, `recorded`, or `100-per-second`.
    package init?(_ text: String) {
        switch text {
        case "fastest": self = .fastest
        case "recorded": self = .recorded
        default:
            let suffix = "-per-second"
            guard text.hasSuffix(suffix), let rate = Double(text.dropLast(suffix.count)),
                rate.isFinite, rate > 0
            else { return nil }
            self = .perSecond(rate)
        }
    }

    /// When a request is due, counted from the first one.
    ///
    /// - Parameter index: Its place, from 0.
    func due(index: Int, received: Timestamp?, first: Timestamp?) -> Duration {
        switch self {
        case .fastest: return .zero
        case .perSecond(let rate): return .nanoseconds(Int64(min(Double(index) / rate * 1e9, 9e18)))
        case .recorded:
            guard let received, let first, received > first else { return .zero }
            return .microseconds(received.microseconds - first.microseconds)
        }
    }
}

/// Judges answers as a system would, without the keys of anybody.
package final class AnswerJudge {
    private var senders: [String: any Sender] = [:]

    package init() {}

    /// What the system of this name in the registry makes of an answer; any 2xx satisfies one that
    /// is not known.
    package func judge(
        _ result: Result<ReceivedResponse, ClientError>, by provider: String?
    ) -> AnswerVerdict {
        if let provider, let sender = sender(of: provider) { return sender.judge(result) }
        switch result {
        case .success(let response) where (200..<300).contains(response.status): return .accepted
        case .success(let response): return .sendsAgain("status \(response.status) is not 2xx")
        case .failure(let error): return .sendsAgain("\(error)")
        }
    }

    /// A sender with made-up keys: judging needs none.
    private func sender(of provider: String) -> (any Sender)? {
        if let known = senders[provider] { return known }
        guard let descriptor = ProviderCatalog.shipped[provider] else { return nil }
        let made = try? descriptor.makeSender(descriptor.sampleSettings())
        senders[provider] = made
        return made
    }
}
