/// What can happen to an order, in one word each: the vocabulary that `ipnd send --status` takes,
/// and into which a configured endpoint (`hmac`, `standard-webhooks`) maps its provider's own
/// words.
package enum EventType: String, Sendable, CaseIterable {
    case pending, authorized, paid, failed, canceled, expired
    case captured
    case captureFailed = "capture_failed"
    case refundPending = "refund_pending"
    case refunded
    case refundFailed = "refund_failed"
    case disputed
    case disputeClosed = "dispute_closed"
    case disputeWon = "dispute_won"
    case chargedBack = "charged_back"
    /// Genuine, about no order.
    case ignored

    /// The kind of notification (DESIGN §5, `event.kind`).
    package var kind: String {
        switch self {
        case .pending, .authorized, .paid, .failed, .canceled, .expired: "payment"
        case .captured, .captureFailed: "capture"
        case .refundPending, .refunded, .refundFailed: "refund"
        case .disputed, .disputeClosed, .disputeWon, .chargedBack: "dispute"
        case .ignored: "other"
        }
    }

    /// The event's own status within its kind (DESIGN §5, `event.status`).
    package var status: String {
        switch self {
        case .pending, .refundPending: "pending"
        case .authorized: "authorized"
        case .paid: "paid"
        case .failed, .captureFailed, .refundFailed: "failed"
        case .canceled: "canceled"
        case .expired: "expired"
        case .captured, .refunded: "succeeded"
        case .disputed: "open"
        case .disputeClosed: "closed"
        case .disputeWon: "won"
        case .chargedBack: "lost"
        case .ignored: "ignored"
        }
    }
}
