import Ledger
import Payments

/// What became of a submission. Every outcome but `refused` means that the event is durable.
package struct Receipt: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        /// New; it changed or confirmed its order.
        case recorded(UInt64)
        /// Seen before: the sequence is the original's.
        case duplicate(of: UInt64)
        /// Same identity with other content, or an amount that contradicts what the merchant
        /// registered.
        case conflict(UInt64)
        /// Genuine, but about no order.
        case ignored(UInt64)
        /// Not kept.
        case refused(StoreRefusal)

        /// The record that holds the event; nil when it was refused.
        package var sequence: UInt64? {
            switch self {
            case .recorded(let sequence), .duplicate(let sequence), .conflict(let sequence),
                .ignored(let sequence):
                sequence
            case .refused: nil
            }
        }
    }

    package var outcome: Outcome
    /// The order's reference, when the event belongs to an order that has one. For the log line.
    package var reference: String?
    /// The order's status after the event; nil for duplicates, which are not looked up.
    package var status: OrderStatus?
    /// Why an act was denied, with the newest record as a `duplicate`; nil of anything else.
    package var denial: ActionRefusal?

    package init(_ outcome: Outcome, reference: String? = nil, status: OrderStatus? = nil) {
        self.outcome = outcome
        self.reference = reference
        self.status = status
    }

    /// The record that holds the event; nil when it was refused.
    package var sequence: UInt64? { outcome.sequence }
}

extension Receipt {
    /// The receipt for an act that was denied.
    ///
    /// - Parameter last: The newest record, for the denial may follow from it.
    package init(_ denial: ActionRefusal, after last: UInt64) {
        self.init(.duplicate(of: last))
        self.denial = denial
    }

    /// The receipt for `change`, once it is durable.
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

/// Why something was not stored. The sender gets 503 and tries again.
package enum StoreRefusal: String, Error, Sendable, CaseIterable {
    /// The disk has no room for the next segment.
    case noSpace = "no_space"
    /// The queue is full: more arrives than the disk takes.
    case overloaded
    /// The request is longer than a record may be.
    case recordTooLong = "record_too_long"
    /// Writing to the journal failed, and what the disk holds is unknown.
    case failed = "journal_failed"
    /// The database is away, too slow or read-only.
    case databaseUnavailable = "database_unavailable"
    /// The database cannot keep a value of the record.
    case databaseRefused = "database_refused"
    /// The store is being closed.
    case shuttingDown = "shutting_down"

    /// The reason code in logs, metrics and answers.
    package var reason: String { rawValue }
}
