import Payments
import Providers

/// The events of an order, as `ipnd send --scenario` sends them, and the expected result.
package struct Scenario: Sendable, Equatable {
    package let name: String
    /// A description in one line.
    package let story: String
    /// The events at the provider.
    package let steps: [ScenarioStep]
    /// Whether the notifications arrive in the opposite order.
    package let arrivesReversed: Bool
    /// Number of identical copies of each notification.
    package let copies: Int
    /// Number of concurrent requests.
    package let concurrency: Int
    /// The order's final status; nil if no order may be created.
    package let finalStatus: OrderStatus?
    /// Quarters of the amount that are refunded in the end.
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

    private static let singleStory = "one notification"

    /// A single notification: `ipnd send --status`.
    package static func single(_ type: EventType) -> Scenario {
        Scenario(type.rawValue, singleStory, [ScenarioStep(type)], becomes: nil)
    }

    /// No event: an order that `ipnd simulate` registers and never begins.
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

    /// The order's final state for an order of `amount`.
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

extension Scenario {
    /// The same scenario for a system that reports no payment in one step: each payment becomes an
    /// authorization and its capture. Unchanged for other systems, and for a single notification.
    package func adapted(to sender: some Sender) -> Scenario {
        guard name != EventType.paid.rawValue || story != Self.singleStory,
            steps.contains(where: { $0.type == .paid }), !sender.sends(.paid),
            sender.sends(.authorized), sender.sends(.captured)
        else { return self }
        let adapted = steps.flatMap { step in
            guard step.type == .paid else { return [step] }
            return [EventType.authorized, .captured].map { type in
                var part = step
                part.type = type
                return part
            }
        }
        return Scenario(
            name, story, adapted, arrivesReversed: arrivesReversed, copies: copies,
            concurrency: concurrency, becomes: finalStatus, refundedQuarters: refundedQuarters)
    }
}

extension Sender {
    /// Whether the system has a notification of this type.
    fileprivate func sends(_ type: EventType) -> Bool {
        guard let currency = Currency("EUR"), let occurred = Timestamp(epochSeconds: 1_700_000_000)
        else { return false }
        let event = SampleEvent(
            type: type, reference: "SHOP-1", money: Money(minor: 4200, currency: currency),
            occurred: occurred)
        return (try? sign(event, path: "/")) != nil
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

/// The expected state of an order after a scenario.
package struct ScenarioExpectation: Sendable, Equatable {
    /// Nil if no order may be created.
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
    /// The part of the order's amount.
    package enum Portion: Sendable, Equatable {
        case whole
        /// A quarter, rounded down, and at least one minor unit.
        case quarter
    }

    /// Whether the notification is genuine.
    package enum Authenticity: Sendable, Equatable {
        case genuine
        /// Signed, then one character changed.
        case tampered
        /// Signed with an unknown key.
        case foreignKey
    }

    package var type: EventType
    package var portion: Portion
    /// Number of the payment attempt, from 1; each has its own transaction id.
    package var attempt: Int
    /// Number of the refund, capture or dispute, from 1; the same number has the same id.
    package var action: Int
    package var authenticity: Authenticity
    /// Whether the step is left out if the provider has no such notification.
    package var isOptional: Bool
    /// The event sent by a provider without this notification: some report a capture as the
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
