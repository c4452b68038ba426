import Payments
import Store

/// What a shopper is told about an order: whether it is paid, and nothing else.
///
/// | the order is | told |
/// |---|---|
/// | unknown, `pending`, `authorized`, `review` | `pending` |
/// | `paid`, `partially_refunded`, `disputed` | `paid` |
/// | the same, with a doubt that no person has resolved | `pending` |
/// | `refunded`, `charged_back`, `canceled` | `canceled` |
/// | `failed`, `expired` | the same |
enum PaymentOutcome: String, Sendable, CaseIterable {
    case pending, paid, failed, canceled, expired

    /// - Parameter view: Nil for an order that nothing has named.
    init(_ view: OrderView?) {
        guard let summary = view?.order.summary else {
            self = .pending
            return
        }
        switch summary.status {
        case .pending, .authorized, .review: self = .pending
        case .paid, .partiallyRefunded, .disputed:
            let isResolved = summary.flags.contains(.resolved)
            let isDoubted = summary.flags.contains(where: Self.doubts.contains)
            self = isDoubted && !isResolved ? .pending : .paid
        case .refunded, .chargedBack, .canceled: self = .canceled
        case .failed: self = .failed
        case .expired: self = .expired
        }
    }

    /// The flags by which config/fulfilment.md holds a paid order. An order that was paid twice is
    /// paid all the same.
    private static let doubts: Set<Flag> = [
        .providerReview, .contradicted, .unconfirmed, .notUnderstood,
    ]
}
