import Payments

/// What the provider's own books say at the end of a life: kept by simple bookkeeping, without any
/// of the order rules.
struct Truth: Equatable {
    var status = OrderStatus.pending
    var captured: Int64 = 0
    var refunded: Int64 = 0

    init(_ life: Life) {
        var attempts: [String: AttemptStatus] = [:]
        var captures: [String: Int64] = [:]
        var failedCaptures = false
        var disputes: [String: DisputeStatus] = [:]
        var sale: Int64 = 0
        for fact in life.facts {
            switch fact {
            case .attempt(let id, let status, let amount):
                attempts[id] = status
                if status == .paid { sale += amount }
            case .capture(let id, let payment, let status, let amount):
                if status == .succeeded {
                    captures[id] = amount
                    attempts[payment] = .paid
                } else {
                    failedCaptures = true
                }
            case .refund(_, _, .succeeded, let amount): refunded += amount
            case .refund: break
            case .void(_, let payment, _):
                if attempts[payment] == .authorized { attempts[payment] = .canceled }
            case .refundReversal(_, _, let amount): refunded -= amount
            case .dispute(let id, _, let status, _): disputes[id] = status
            case .disputeReversal(_, let id, _): disputes[id] = .won
            }
        }
        captured = captures.isEmpty ? sale : captures.values.reduce(0, +)
        status = Self.status(
            Set(attempts.values), Set(disputes.values), captured: captured, refunded: refunded)
        // Nothing was taken; the provider keeps the money for the merchant to try again.
        if failedCaptures, captures.isEmpty { status = .authorized }
    }

    private static func status(
        _ attempts: Set<AttemptStatus>, _ disputes: Set<DisputeStatus>, captured: Int64,
        refunded: Int64
    ) -> OrderStatus {
        if disputes.contains(.lost) { return .chargedBack }
        if disputes.contains(.open) { return .disputed }
        if captured > 0 {
            if refunded == 0 { return .paid }
            return refunded < captured ? .partiallyRefunded : .refunded
        }
        if attempts.contains(.authorized) { return .authorized }
        if attempts.contains(.pending) { return .pending }
        if attempts.contains(.failed) { return .failed }
        if attempts.contains(.canceled) { return .canceled }
        return .pending
    }
}
