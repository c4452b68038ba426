import Payments
import Providers

/// What really happens to orders, as `ipnd send --scenario` plays it, and what must come of it.
package struct Scenario: Sendable, Equatable {
    package let name: String
    /// One line for people.
    package let story: String
    /// As it happens at the provider.
    package let steps: [ScenarioStep]
    /// Whether the notifications arrive in the opposite order.
    package let arrivesReversed: Bool
    /// How often each notification is sent, byte for byte.
    package let copies: Int
    /// How many requests are under way at once.
    package let concurrency: Int
    /// The order's status in the end; nil where none may come into being.
    package let finalStatus: OrderStatus?
    /// How many fourths of the amount are refunded in the end.
    package let refundedQuarters: Int

    init(
        _ name: String, _ story: String, _ steps: [ScenarioStep], arrivesReversed: Bool = false,
        copies: Int = 1, concurrency: Int = 1, becomes finalStatus: OrderStatus?,
        refundedQuarters: Int = 0
    ) {
        self.name = name
        self.story = story
        self.steps = steps
        self.arrivesReversed = arrivesReversed
        self.copies = copies
        self.concurrency = concurrency
        self.finalStatus = finalStatus
        self.refundedQuarters = refundedQuarters
    }

    /// One notification without a story: `ipnd send --status`.
    package static func single(_ type: EventType) -> Scenario {
        Scenario(type.rawValue, "one notification", [ScenarioStep(type)], becomes: nil)
    }

    /// Nothing ever happens: for `ipnd simulate`, where an order may be expected in vain.
    package static let abandoned = Scenario(
        "abandoned", "expected, never begun", [], becomes: nil)

    /// The table of scenarios.
    package static let all: [Scenario] = [
        Scenario("paid", "the customer pays", [ScenarioStep(.paid)], becomes: .paid),
        Scenario("failed", "the payment fails", [ScenarioStep(.failed)], becomes: .failed),
        Scenario(
            "expired", "the customer does not pay in time", [ScenarioStep(.expired)],
            becomes: .expired),
        Scenario("unpaid", "begun, never completed", [ScenarioStep(.pending)], becomes: .pending),
        Scenario(
            "authorized-captured", "authorized, then captured",
            [ScenarioStep(.authorized), ScenarioStep(.captured, otherwise: .paid)],
            becomes: .paid),
        Scenario(
            "failed-then-paid", "the first attempt fails, the second succeeds",
            [ScenarioStep(.failed, attempt: 1), ScenarioStep(.paid, attempt: 2)], becomes: .paid),
        Scenario(
            "refund", "paid, then fully refunded",
            [ScenarioStep(.paid), ScenarioStep(.refunded)], becomes: .refunded,
            refundedQuarters: 4),
        Scenario(
            "partial-refunds", "paid, then two refunds of a quarter each",
            [
                ScenarioStep(.paid), ScenarioStep(.refunded, portion: .quarter, action: 1),
                ScenarioStep(.refunded, portion: .quarter, action: 2),
            ],
            becomes: .partiallyRefunded, refundedQuarters: 2),
        Scenario(
            "chargeback", "paid, disputed, charged back",
            [
                ScenarioStep(.paid), ScenarioStep(.disputed, isOptional: true),
                ScenarioStep(.chargedBack),
            ],
            becomes: .chargedBack),
        Scenario(
            "out-of-order", "pending, paid, a quarter refunded; the last arrives first",
            [
                ScenarioStep(.pending, isOptional: true), ScenarioStep(.paid),
                ScenarioStep(.refunded, portion: .quarter),
            ],
            arrivesReversed: true, becomes: .partiallyRefunded, refundedQuarters: 1),
        Scenario(
            "duplicate-storm", "the same notification fifty times, many concurrently",
            [ScenarioStep(.paid)], copies: 50, concurrency: 16, becomes: .paid),
        Scenario(
            "bad-signature", "one character is changed after signing",
            [ScenarioStep(.paid, authenticity: .tampered)], becomes: nil),
        Scenario(
            "wrong-key", "signed with an unknown key",
            [ScenarioStep(.paid, authenticity: .foreignKey)], becomes: nil),
    ]

    package static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }

    /// What it says about the order in the end, for people and tests.
    package func expectation(of amount: Money) -> ScenarioExpectation {
        let refunded =
            switch refundedQuarters {
            case 4: amount.minor
            case let quarters: Int64(quarters) * ScenarioStep.quarter(of: amount.minor)
            }
        return ScenarioExpectation(
            status: finalStatus, refunded: Money(minor: refunded, currency: amount.currency))
    }
}

extension ScenarioStep {
    static func quarter(of minor: Int64) -> Int64 { max(1, minor / 4) }

    func money(of amount: Money) -> Money {
        switch portion {
        case .whole: amount
        case .quarter: Money(minor: Self.quarter(of: amount.minor), currency: amount.currency)
        }
    }
}

/// What an order must be when a scenario is over.
package struct ScenarioExpectation: Sendable, Equatable {
    /// Nil where no order may come into being.
    package let status: OrderStatus?
    package let refunded: Money

    package init(status: OrderStatus?, refunded: Money) {
        self.status = status
        self.refunded = refunded
    }
}

extension ScenarioExpectation: CustomStringConvertible {
    package var description: String {
        guard let status else { return "every request refused, and no order" }
        return refunded.minor == 0
            ? "the order is \(status.rawValue)"
            : "the order is \(status.rawValue), \(refunded) refunded"
    }
}

/// One event of a scenario.
package struct ScenarioStep: Sendable, Equatable {
    /// How much of the order's amount it is about.
    package enum Portion: Sendable, Equatable {
        case whole
        /// A fourth, rounded down, and at least one minor unit.
        case quarter
    }

    /// Whether the receiver can take it for the provider's.
    package enum Authenticity: Sendable, Equatable {
        case genuine
        /// Signed, and then one character changed.
        case tampered
        /// Signed with a key that the receiver does not know.
        case foreignKey
    }

    package var type: EventType
    package var portion: Portion
    /// Which payment attempt of the order it belongs to, from 1: each has its own transaction id.
    package var attempt: Int
    /// Which refund, capture or dispute it speaks of, from 1: the same number, the same id.
    package var action: Int
    package var authenticity: Authenticity
    /// Left out where the system has no such notification, without making the scenario another one.
    package var isOptional: Bool
    /// What a system says in its place that has no such notification: Stripe tells a capture as the
    /// payment's success.
    package var substitute: EventType?

    package init(
        _ type: EventType, portion: Portion = .whole, attempt: Int = 1, action: Int = 1,
        authenticity: Authenticity = .genuine, isOptional: Bool = false,
        otherwise substitute: EventType? = nil
    ) {
        self.type = type
        self.substitute = substitute
        self.portion = portion
        self.attempt = attempt
        self.action = action
        self.authenticity = authenticity
        self.isOptional = isOptional
    }
}
