import Payments
import Platform
import Simulator

/// What `ipnd simulate` plays by itself.
package struct WorldSettings: Sendable {
    /// Orders of each endpoint.
    package var count = 0
    /// Orders that begin in a second, all endpoints together.
    package var rate = 10.0
    /// The share of the notifications that never arrive, from 0 to 1. One that no answer to an
    /// inquiry can make up for is sent until it is accepted.
    package var loss = 0.0
    /// The share of the notifications that arrive several times.
    package var repeats = 0.0
    /// The longest delay of a notification, in seconds of the provider's clock. Where it is longer
    /// than `stepSeconds`, notifications overtake each other.
    package var delaySeconds = 0.0
    /// The pause between two events of an order, in seconds of the provider's clock.
    package var stepSeconds = 60.0
    /// How many times as fast as time the provider's clock runs.
    package var speed = 1.0
    package var seed: UInt64 = 0
    /// The beginning of every reference.
    package var prefix = "SIM"
    /// Seconds until an order expires that the shop registers beforehand; nil registers none.
    package var expectSeconds: Int?
    /// What happens to orders; more of one where it is named more often.
    package var scenarios: [Scenario] = WorldSettings.mixture
    /// Requests under way at once.
    package var concurrency = 8

    package init() {}

    /// Most payments go well.
    package static let mixture: [Scenario] = {
        let parts: [(String, Int)] = [
            ("paid", 25), ("authorized-captured", 5), ("failed-then-paid", 4), ("failed", 3),
            ("unpaid", 2), ("expired", 2), ("refund", 4), ("partial-refunds", 3), ("chargeback", 2),
        ]
        let named = parts.flatMap { name, share in
            Scenario.named(name).map { Array(repeating: $0, count: share) } ?? []
        }
        return named + [.abandoned, .abandoned]
    }()
}

/// One order of the world, drawn before anything happens: the same settings draw the same.
package struct DrawnOrder: Sendable, Equatable {
    package let reference: String
    package let scenario: Scenario
    package let money: Money
    /// How each event is told, in the order of the scenario's steps.
    package let tellings: [Telling]

    package struct Telling: Sendable, Equatable {
        package let isLost: Bool
        /// How long after the event each copy arrives, in seconds of the provider's clock; there is
        /// at least one.
        package let delays: [Double]
    }

    /// Copies of a notification that is repeated.
    private static let copiesMax = 4
    private static let currencies = ["EUR", "USD", "MYR", "SGD"].compactMap { Currency($0) }

    /// - Parameters:
    ///   - scenarios: Those that the endpoint's system can tell; not empty.
    ///   - endpoint: Which endpoint of the run, from 0.
    ///   - number: Which order of the endpoint, from 1.
    package init(
        _ settings: WorldSettings, from scenarios: [Scenario], endpoint: Int, name: String,
        number: Int
    ) {
        let place = UInt64(endpoint) << 40 | UInt64(number)
        var generator = SplitMix64(seed: settings.seed ^ (place &* 0x2545_f491_4f6c_dd1d))
        reference = "\(settings.prefix)-\(name)-\(number)"
        scenario = scenarios[Int.random(in: 0..<scenarios.count, using: &generator)]
        money = Money(
            minor: Int64.random(in: 100...99_999, using: &generator),
            currency: Self.currencies[Int.random(in: 0..<Self.currencies.count, using: &generator)])
        tellings = scenario.steps.map { _ in
            let isLost = Double.random(in: 0..<1, using: &generator) < settings.loss
            let isRepeated = Double.random(in: 0..<1, using: &generator) < settings.repeats
            let copies = isRepeated ? Int.random(in: 2...Self.copiesMax, using: &generator) : 1
            return Telling(
                isLost: isLost,
                delays: (0..<copies).map { _ in
                    Double.random(in: 0...settings.delaySeconds, using: &generator)
                })
        }
    }
}
