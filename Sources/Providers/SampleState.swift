import Payments

/// The state of an order in the provider's own books. It is computed from the order's life without
/// the order rules, so that these can be checked against it.
package struct SampleState: Sendable, Equatable {
    package let status: OrderStatus
    /// The amount that was authorised or taken at once, in minor units.
    package private(set) var authorized: Int64 = 0
    /// The amount that was taken, in minor units.
    package private(set) var captured: Int64 = 0
    /// The amount that was refunded, in minor units.
    package private(set) var refunded: Int64 = 0
    /// Each payment with its status.
    package private(set) var attempts: [Attempt] = []

    package struct Attempt: Sendable, Equatable {
        package let transaction: String
        package let status: AttemptStatus
    }

    package init(_ life: SampleLife) {
        let payments = life.payments
        for payment in payments {
            let status = Self.status(of: payment)
            attempts.append(Attempt(transaction: payment.transaction, status: status))
            refunded += payment.refunded
            switch status {
            case .paid:
                authorized += payment.money.minor
                captured += payment.captured ?? payment.money.minor
            case .authorized: authorized += payment.money.minor
            default: break
            }
        }
        let disputes = payments.flatMap { $0.operations("dispute") }.map(\.type)
        status = Self.status(attempts.map(\.status), disputes, captured, refunded)
    }

    private static func status(of payment: SamplePayment) -> AttemptStatus {
        if payment.captured != nil { return .paid }
        return switch payment.status {
        case .authorized: .authorized
        case .paid: .paid
        case .failed, .tryFailed: .failed
        case .canceled: .canceled
        case .expired: .expired
        default: .pending
        }
    }

    private static func status(
        _ attempts: [AttemptStatus], _ disputes: [EventType], _ captured: Int64, _ refunded: Int64
    ) -> OrderStatus {
        if disputes.contains(.chargedBack) { return .chargedBack }
        if disputes.contains(.disputed) { return .disputed }
        if captured > 0 {
            if refunded == 0 { return .paid }
            return refunded < captured ? .partiallyRefunded : .refunded
        }
        if attempts.contains(.authorized) { return .authorized }
        if attempts.contains(.pending) { return .pending }
        if attempts.contains(.failed) { return .failed }
        if attempts.contains(.canceled) { return .canceled }
        if attempts.contains(.expired) { return .expired }
        return .pending
    }
}
