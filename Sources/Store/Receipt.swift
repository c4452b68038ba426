import Ledger
import Payments

/// The result of a submission. With every outcome except `denied` and `refused` the event is
/// durable.
package struct Receipt: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        /// A new event that changed or confirmed its order.
        case recorded(UInt64)
        /// A repeated event, with the sequence of the original.
        case duplicate(of: UInt64)
        /// The same identity with other content, or an amount that contradicts the merchant's
        /// expectation.
        case conflict(UInt64)
        /// A genuine event about no order.
        case ignored(UInt64)
        /// An act that the order's state does not allow. That state is durable; the act was not
        /// stored.
        case denied(ActionRefusal)
        /// The event was not stored.
        case refused(StoreRefusal)

        /// The record that holds the event; nil if none does.
        package var sequence: UInt64? {
            switch self {
            case .recorded(let sequence), .duplicate(let sequence), .conflict(let sequence),
                .ignored(let sequence):
                sequence
            case .denied, .refused: nil
            }
        }
    }

    package var outcome: Outcome
    /// The order's reference if the event belongs to an order that has one, for the log line.
    package var reference: String?
    /// The order's status after the event; nil for duplicates, which are not looked up.
    package var status: OrderStatus?

    package init(_ outcome: Outcome, reference: String? = nil, status: OrderStatus? = nil) {
        self.outcome = outcome
        self.reference = reference
        self.status = status
    }

    /// The record that holds the event; nil if none does.
    package var sequence: UInt64? { outcome.sequence }
}

extension Receipt {
    /// The receipt of `change`, once it is durable.
    package init(_ change: borrowing EventChange) {
        let sequence = change.content.sequence
        let outcome: Outcome =
            switch change.content.outcome {
            case .recorded: .recorded(sequence)
            case .conflict: .conflict(sequence)
            case .ignored: .ignored(sequence)
            }
        self.init(
            outcome, reference: change.content.order?.reference,
            status: change.content.order?.summary.status)
    }
}

/// The reason why an event was not stored. The sender gets 503 and tries again.
package enum StoreRefusal: String, Error, Sendable, CaseIterable {
    /// The disk has no room for the next segment.
    case noSpace = "no_space"
    /// The queue is full: events arrive faster than the disk can write.
    case overloaded
    /// The record of the request would be too long.
    case recordTooLong = "record_too_long"
    /// Writing to the journal failed, and the content of the disk is unknown.
    case failed = "journal_failed"
    /// The database is away, too slow or read-only.
    case databaseUnavailable = "database_unavailable"
    /// The database cannot store a value of the record.
    case databaseRefused = "database_refused"
    /// The store is being closed.
    case shuttingDown = "shutting_down"

    /// The reason code in logs, metrics and answers.
    package var reason: String { rawValue }
}
