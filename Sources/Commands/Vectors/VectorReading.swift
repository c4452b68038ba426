import Payments

/// A notification in the words of a vector.
struct VectorReading {
    /// Whether the rules found the content, but not its meaning.
    static func isUnknown(_ notification: Notification) -> Bool {
        notification.effect == .doubt
            || notification.flags.contains { $0 == .unknownStatus || $0 == .unknownKind }
            || notification.flags.contains(.notUnderstood)
    }

    /// The event's type in the words of `fields.statuses`. A failed try is `failed`: another word
    /// says only that the payment may still succeed.
    static func type(_ notification: Notification) -> String {
        if isUnknown(notification) { return "unknown" }
        switch notification.effect {
        case .attempt(let status, _):
            return status.name == "try_failed" ? "failed" : status.name
        case .capture(_, let status, _):
            return switch status {
            case .pending: "capture_pending"
            case .failed: "capture_failed"
            case .succeeded: "captured"
            }
        case .refund(_, let status, _), .unclearRefund(_, let status, _):
            return switch status {
            case .pending: "refund_pending"
            case .failed: "refund_failed"
            case .succeeded: "refunded"
            }
        case .dispute(_, let status, _):
            return switch status {
            case .open: "disputed"
            case .closed: "dispute_closed"
            case .won: "dispute_won"
            case .lost: "charged_back"
            }
        case .reversal(_, _, let status, _):
            return status == .succeeded ? "reversed" : "reversal_\(status.name)"
        case .doubt, .none: return "ignored"
        }
    }

    /// Whether the notification is as good as one of this type: undoing an authorisation, or the
    /// rest of it, makes the attempt `canceled`, and a chargeback that is undone is won.
    static func isOf(_ type: String, _ notification: Notification) -> Bool {
        switch (notification.effect, type) {
        case (.reversal(.authorization, _, .succeeded, _), "canceled"),
            (.reversal(.dispute, _, .succeeded, _), "dispute_won"):
            true
        default: Self.type(notification) == type
        }
    }

    static func effect(_ notification: Notification) -> String {
        switch notification.effect {
        case .attempt: "attempt"
        case .capture: "capture"
        case .refund, .unclearRefund: "refund"
        case .dispute: "dispute"
        case .reversal: "reversal"
        case .doubt, .none: "none"
        }
    }

    static func text(_ money: Money?) -> String {
        money.map { "\($0.minor) \($0.currency.code)" } ?? absent
    }

    static func text(_ reason: Reason?) -> String {
        reason.map { "code “\($0.code)”, message “\($0.message)”" } ?? absent
    }

    /// The word for a member that is not there.
    static let absent = "nothing"
}
