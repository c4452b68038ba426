import Payments
import Platform
import Simulator

/// Settings of the orders that `ipnd simulate` creates.
package struct SimulationSettings: Sendable {
    /// Number of orders of each endpoint.
    package var count = 0
    /// Orders that begin per second, all endpoints together.
    package var rate = 10.0
    /// Share of the notifications that never arrive, from 0 to 1. A notification that no answer to
    /// an inquiry can replace is never lost.
    package var loss = 0.0
    /// Share of the notifications that arrive several times.
    package var repeats = 0.0
    /// Longest delay of a notification, in seconds of the provider's clock. If it exceeds
    /// `stepSeconds`, notifications overtake each other.
    package var delaySeconds = 0.0
    /// Pause between two events of an order, in seconds of the provider's clock.
    package var stepSeconds = 60.0
    /// Factor by which the provider's clock is accelerated.
    package var speed = 1.0
    package var seed: UInt64 = 0
    /// Prefix of every reference.
    package var prefix = "SIM"
    /// Seconds until the expiry of the orders that the shop registers; nil registers none.
    package var expectSeconds: Int?
    /// Scenarios to draw from; one that is listed more often is drawn more often.
    package var scenarios: [Scenario] = SimulationSettings.mixture
    /// Number of concurrent requests.
    package var concurrency = 8

    package init() {}

    /// The default scenarios; most payments succeed.
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

/// One order, drawn before anything happens: the same settings draw the same orders.
package struct DrawnOrder: Sendable, Equatable {
    package let reference: String
    package let scenario: Scenario
    package let money: Money
    /// How each event's notification is sent, in the order of the scenario's steps.
    package let transmissions: [Transmission]

    package struct Transmission: Sendable, Equatable {
        package let isLost: Bool
        /// Delay of each copy after the event, in seconds of the provider's clock; at least one
        /// copy.
        package let delays: [Double]
    }

    /// Maximum number of copies of a repeated notification.
    private static let copiesMax = 4
    private static let currencies = ["EUR", "USD", "MYR", "SGD"].compactMap { Currency($0) }

    /// - Parameters:
    ///   - scenarios: The scenarios that the endpoint's provider supports; not empty.
    ///   - endpoint: Index of the endpoint in the simulation, from 0.
    ///   - number: Number of the order of the endpoint, from 1.
    package init(
        _ settings: SimulationSettings, from scenarios: [Scenario], endpoint: Int, name: String,
        number: Int
    ) {
        let place = UInt64(endpoint) << 40 | UInt64(number)
        var generator = SplitMix64(seed: settings.seed ^ (place &* 0x2545_f491_4f6c_dd1d))
        reference = "\(settings.prefix)-\(name)-\(number)"
        scenario = scenarios[Int.random(in: 0..<scenarios.count, using: &generator)]
        money = Money(
            minor: Int64.random(in: 100...99_999, using: &generator),
            currency: Self.currencies[Int.random(in: 0..<Self.currencies.count, using: &generator)])
        transmissions = scenario.steps.map { _ in
            let isLost = Double.random(in: 0..<1, using: &generator) < settings.loss
            let isRepeated = Double.random(in: 0..<1, using: &generator) < settings.repeats
            let copies = isRepeated ? Int.random(in: 2...Self.copiesMax, using: &generator) : 1
            return Transmission(
                isLost: isLost,
                delays: (0..<copies).map { _ in
                    Double.random(in: 0...settings.delaySeconds, using: &generator)
                })
        }
    }
}
