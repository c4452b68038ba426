import Payments

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
        guard let status else { return "every answer a refusal, and no order" }
        return refunded.minor == 0
            ? "the order is \(status.rawValue)"
            : "the order is \(status.rawValue), \(refunded) refunded"
    }
}
