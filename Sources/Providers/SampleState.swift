import Payments

/// What the provider's own books say about an order: simple bookkeeping over its life, without any
/// of the order rules, so that it can judge them.
package struct SampleState: Sendable, Equatable {
    package let status: OrderStatus
    /// Minor units that were set aside or taken at once.
    package private(set) var authorized: Int64 = 0
    /// Minor units that were taken.
    package private(set) var captured: Int64 = 0
    /// Minor units that went back.
    package private(set) var refunded: Int64 = 0
    /// Each payment with what it is.
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
