import Payments

/// A filter for kept events: all conditions must hold.
package struct DeliveryQuery: Sendable, Equatable {
    package var destination: String?
    package var state: PendingDelivery.State?
    /// The order's reference; its id at the provider while it has none.
    package var reference: String?
    package var sequence: UInt64?
    /// Only events after this one, in the order of the list.
    package var cursor: Int64?
    package var limit = 100

    package static let limitMax = 1000

    package init() {}
}

/// One page of a list.
package struct DeliveryList: Sendable, Equatable {
    package var deliveries: [PendingDelivery]
    /// The cursor for the next page; nil on the last page.
    package var cursor: Int64?

    package init(deliveries: [PendingDelivery], cursor: Int64?) {
        self.deliveries = deliveries
        self.cursor = cursor
    }
}

/// An event that is not delivered to one destination yet.
package struct PendingDelivery: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        /// Waits for its next attempt, or for an earlier event of its order.
        case waiting
        /// Waits for an operator: all attempts failed.
        case dead
    }

    package var id: Int64
    package var destination: String
    package var sequence: UInt64
    package var endpoint: String
    package var reference: String
    package var kind: String
    /// The order's status after the event.
    package var status: String
    package var received: Timestamp
    package var state: State
    /// Failed attempts that counted.
    package var attempts: Int
    /// When the next attempt is due; nil for a dead letter, and for one that was never tried.
    package var due: Timestamp?
    package var last: LoggedAttempt?
}

/// One attempt that failed, or that succeeded after others had failed.
package struct LoggedAttempt: Sendable, Equatable {
    package var destination: String
    package var sequence: UInt64
    package var reference: String
    package var began: Timestamp
    /// Number of the attempt, from 1.
    package var number: Int
    package var outcome: AttemptOutcomeSummary
}

/// The parts of an outcome that the state keeps.
package struct AttemptOutcomeSummary: Sendable, Equatable {
    package var status: Int?
    /// ``AttemptOutcome/reason``.
    package var reason: String
    package var latencyMicroseconds: Int
    package var detail: String
    /// The first bytes of the answer's body; invalid UTF-8 is replaced.
    package var excerpt: String
}

extension AttemptOutcomeSummary {
    package init(_ outcome: AttemptOutcome) {
        self.init(
            status: outcome.status, reason: outcome.reason,
            latencyMicroseconds: outcome.latencyMicroseconds, detail: outcome.detail,
            excerpt: String(decoding: outcome.excerpt, as: UTF8.self))
    }
}
