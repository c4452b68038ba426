/// The payment status of an order: the best of its attempts.
///
/// | an attempt is | payment |
/// |---|---|
/// | `paid` | `paid` |
/// | else one is `authorized` | `authorized` |
/// | else one is `pending` | `pending`: the customer may still pay |
/// | else one is `failed` | `failed` |
/// | else one is `canceled` | `canceled` |
/// | else one is `expired` | `expired` |
/// | none is known | nil |
///
/// The ranking differs from that within one attempt, where `pending` is the lowest: an order with a
/// failed attempt is still open if another attempt is pending.
enum Payment: UInt8, RisingStatus {
    case expired
    case canceled
    case failed
    case pending
    case authorized
    case paid

    var name: String { attempt.name }

    init(_ status: AttemptStatus) {
        switch status {
        case .pending, .unconfirmed: self = .pending
        case .authorized: self = .authorized
        case .expired: self = .expired
        case .canceled: self = .canceled
        case .failed, .tryFailed: self = .failed
        case .paid: self = .paid
        }
    }

    /// The status of the attempts that decide this payment.
    var attempt: AttemptStatus {
        switch self {
        case .expired: .expired
        case .canceled: .canceled
        case .failed: .failed
        case .pending: .pending
        case .authorized: .authorized
        case .paid: .paid
        }
    }

    /// Returns the best of these statuses; nil if there are none.
    static func best(of statuses: some Sequence<AttemptStatus>) -> Payment? {
        statuses.lazy.map(Payment.init).max()
    }
}
