import Providers

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

    package init(
        _ type: EventType, portion: Portion = .whole, attempt: Int = 1, action: Int = 1,
        authenticity: Authenticity = .genuine, isOptional: Bool = false
    ) {
        self.type = type
        self.portion = portion
        self.attempt = attempt
        self.action = action
        self.authenticity = authenticity
        self.isOptional = isOptional
    }
}
