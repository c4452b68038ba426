import Payments

/// The provider's own books at the end of a life: simple bookkeeping, without any of the order
/// rules.
package struct Truth: Equatable {
    package private(set) var status = OrderStatus.pending
    package private(set) var captured: Int64 = 0
    package private(set) var refunded: Int64 = 0
    /// The authorised amount, if captures take it.
    package private(set) var authorized: Int64?
    /// Whether the provider's notifications report both success and failure.
    package private(set) var isContradicted = false

    package init(_ life: Life) {
        var attempts: [String: AttemptStatus] = [:]
        var captures: [String: Int64] = [:]
        var failedCaptures = false
        var disputes: [String: DisputeStatus] = [:]
        var sale: Int64 = 0
        for fact in life.facts {
            switch fact {
            case .attempt(let id, let status, let amount):
                if attempts[id] == .failed, !life.failsByTry { isContradicted = true }
                if status == .authorized { authorized = (authorized ?? 0) + amount }
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
            case .void(_, let payment, let amount):
                guard attempts[payment] == .authorized else { break }
                attempts[payment] = .canceled
                authorized? -= amount
            case .refundReversal(_, _, let amount): refunded -= amount
            case .dispute(let id, _, let status, _): disputes[id] = status
            case .disputeReversal(_, let id, _, _): disputes[id] = .won
            case .raise(_, _, let added, _): authorized? += added
            case .cancel(_, _, let amount, let isListed):
                if isListed { refunded += amount } else { isContradicted = true }
            }
        }
        captured = captures.isEmpty ? sale : captures.values.reduce(0, +)
        status = Self.status(
            Set(attempts.values), Set(disputes.values), captured: captured, refunded: refunded)
        // Nothing was captured; the provider keeps the authorisation for another attempt.
        if failedCaptures, captures.isEmpty { status = .authorized }
    }

    /// Whether an order agrees, or reports that the provider contradicts itself.
    package func agrees(with summary: OrderSummary) -> Bool {
        if isContradicted != summary.flags.contains(.contradicted) { return false }
        let isAuthorized =
            status != .authorized || authorized == nil
            || summary.authorized?.minor == authorized
        return summary.status == status && summary.captured?.minor ?? 0 == captured
            && summary.refunded?.minor ?? 0 == refunded && isAuthorized
    }

    /// Whether the merchant has to be warned of a difference from the expectation.
    ///
    /// For a captured payment, less than expected may be a first part.
    package func contradicts(expected: Int64, of life: Life) -> Bool {
        let isHeld = status == .authorized || status == .review
        guard captured > 0 else { return isHeld && life.total != expected }
        guard authorized != nil else { return life.total != expected }
        return captured > expected || (captured < expected && (authorized ?? 0) < expected)
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
