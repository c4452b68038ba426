/// How far the payment of an order has come: the best of its attempts.
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
/// This is not the order within one attempt: there `pending` is the oldest news, but beside an
/// attempt that failed, another one that is pending keeps the order alive.
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
        case .pending: self = .pending
        case .authorized: self = .authorized
        case .expired: self = .expired
        case .canceled: self = .canceled
        case .failed: self = .failed
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

    /// The best of the attempts with these statuses; nil when there is none.
    static func best(of statuses: some Sequence<AttemptStatus>) -> Payment? {
        statuses.lazy.map(Payment.init).max()
    }
}
