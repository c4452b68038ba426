import Payments

/// Which kept events are wanted: every condition must hold.
package struct DeliveryQuery: Sendable, Equatable {
    package var destination: String?
    package var state: PendingDelivery.State?
    /// The order's reference; its id at the provider while it has none.
    package var reference: String?
    package var sequence: UInt64?
    /// Only those behind this one, in the order of the list.
    package var cursor: Int64?
    package var limit = 100

    package static let limitMax = 1000

    package init() {}
}

/// One page of a list.
package struct DeliveryList: Sendable, Equatable {
    package var deliveries: [PendingDelivery]
    /// Where the next page begins; nil when this is the last.
    package var cursor: Int64?

    package init(deliveries: [PendingDelivery], cursor: Int64?) {
        self.deliveries = deliveries
        self.cursor = cursor
    }
}

/// An event that was not delivered to one destination yet.
package struct PendingDelivery: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        /// For the next attempt, or for one before it.
        case waiting
        /// For a person.
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
    /// Attempts that failed and counted.
    package var attempts: Int
    /// When the next attempt is due; nil when none is planned by itself.
    package var due: Timestamp?
    package var last: LoggedAttempt?
}

/// One attempt that failed, or that succeeded after others had failed.
package struct LoggedAttempt: Sendable, Equatable {
    package var destination: String
    package var sequence: UInt64
    package var reference: String
    package var began: Timestamp
    /// From 1.
    package var number: Int
    package var outcome: AttemptOutcomeSummary

    package init(
        destination: String, sequence: UInt64, reference: String, began: Timestamp, number: Int,
        outcome: AttemptOutcomeSummary
    ) {
        self.destination = destination
        self.sequence = sequence
        self.reference = reference
        self.began = began
        self.number = number
        self.outcome = outcome
    }
}

/// What is remembered of an outcome.
package struct AttemptOutcomeSummary: Sendable, Equatable {
    package var status: Int?
    /// `AttemptOutcome.reason`.
    package var reason: String
    package var latencyMicroseconds: Int
    package var detail: String
    /// The first bytes of the answer's body; what is not UTF-8 in it is replaced.
    package var excerpt: String

    package init(
        status: Int?, reason: String, latencyMicroseconds: Int, detail: String, excerpt: String
    ) {
        self.status = status
        self.reason = reason
        self.latencyMicroseconds = latencyMicroseconds
        self.detail = detail
        self.excerpt = excerpt
    }

    package init(_ outcome: AttemptOutcome) {
        self.init(
            status: outcome.status, reason: outcome.reason,
            latencyMicroseconds: outcome.latencyMicroseconds, detail: outcome.detail,
            excerpt: String(decoding: outcome.excerpt, as: UTF8.self))
    }
}
