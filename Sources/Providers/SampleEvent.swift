import Bytes
import Cryptography
import Payments

/// One event that `ipnd send` asks a ``Sender`` to sign.
package struct SampleEvent: Sendable, Equatable {
    package var type: EventType

    /// The merchant's order reference.
    package var reference: String

    /// The provider's id of the payment.
    package var transaction: String

    /// The provider's id of the refund, capture or dispute.
    package var actionID: String
    package var money: Money
    package var occurred: Timestamp

    /// The sum of the payment; nil if no earlier event of the run is about it. Only
    /// ``SampleLife/following(_:)`` sets it.
    package internal(set) var paid: Money?

    /// The sum refunded so far, this event included; nil if it is no refund that succeeded.
    package internal(set) var refundedSoFar: Money?

    /// The number of this event in its run, counted from 1.
    package var number: Int

    /// Whether the provider marks it as a test that moves no money. Only senders that
    /// ``Sender/marksTests`` write it.
    package var isTest = false

    package var kind: String { type.kind }
    package var status: String { type.status }

    /// Creates an event. Ids that are not given are derived from the reference (and the transaction
    /// and number), so that the same arguments always give the same event.
    package init(
        type: EventType, reference: String, transaction: String? = nil,
        actionID: String? = nil,
        money: Money, occurred: Timestamp, number: Int = 1
    ) {
        let transaction = transaction ?? Self.identifier("transaction", reference)
        self.type = type
        self.reference = reference
        self.transaction = transaction
        self.actionID = actionID ?? Self.identifier(type.kind, transaction, String(number))
        self.money = money
        self.occurred = occurred
        self.number = number
    }

    /// Returns 32 hex digits, like the ids of many providers, derived only from `parts`.
    static func identifier(_ parts: String...) -> String {
        Hex.encode(Array(SHA256.hash(Array(parts.joined(separator: "\n").utf8)).prefix(16)))
    }
}

/// The events of an order. `ipnd send --status` takes these words, and a configured endpoint
/// (`hmac`, `standard-webhooks`) maps its provider's own words to them.
public enum EventType: String, Sendable, CaseIterable, Codable {
    case pending, authorized, paid, failed, canceled, expired
    /// One try failed; the same payment may still succeed by another try.
    case tryFailed = "try_failed"
    case captured
    case captureFailed = "capture_failed"
    case refundPending = "refund_pending"
    case refunded
    case refundFailed = "refund_failed"
    case disputed
    case disputeClosed = "dispute_closed"
    case disputeWon = "dispute_won"
    case chargedBack = "charged_back"
    /// The payment, capture or refund that `transaction` names was undone.
    case reversed
    /// Genuine, about no order.
    case ignored

    /// The kind of notification: `event.kind` in a record.
    package var kind: String {
        switch self {
        case .pending, .authorized, .paid, .failed, .tryFailed, .canceled, .expired: "payment"
        case .captured, .captureFailed: "capture"
        case .refundPending, .refunded, .refundFailed: "refund"
        case .disputed, .disputeClosed, .disputeWon, .chargedBack: "dispute"
        case .reversed: "reversal"
        case .ignored: "other"
        }
    }

    /// The event's own status within its kind: `event.status` in a record.
    package var status: String {
        switch self {
        case .pending, .refundPending: "pending"
        case .authorized: "authorized"
        case .paid: "paid"
        case .failed, .captureFailed, .refundFailed: "failed"
        case .tryFailed: "try_failed"
        case .canceled: "canceled"
        case .expired: "expired"
        case .captured, .refunded, .reversed: "succeeded"
        case .disputed: "open"
        case .disputeClosed: "closed"
        case .disputeWon: "won"
        case .chargedBack: "lost"
        case .ignored: "ignored"
        }
    }
}
