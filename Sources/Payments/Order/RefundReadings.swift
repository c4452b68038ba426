/// The possible sums of refunds whose reports can be read in several ways (``RefundClaim``).
///
/// Three things are unknown: whether the id is the refund's or the charge's, whether `amount` is
/// the refund's or the charge's, and whether `amount_refunded` is this refund or the sum so far.
/// The first does not matter: two claims are one refund only if they are equal. The others give
/// four readings, each with a sum and a condition for every claim:
///
/// | `amount` | `amount_refunded` | sum | fits when |
/// |---|---|---|---|
/// | the refund's | this refund | sum of `amount` | both are the same, or the latter is absent |
/// | the refund's | the sum so far | greatest `amount_refunded` | it grows by at least `amount` |
/// | the charge's | this refund | sum of `amount_refunded` | each `amount` is a charge's |
/// | the charge's | the sum so far | greatest `amount_refunded` | as above, without repetition |
///
/// In every reading the sum is at most the captured sum. Without `amount_refunded`, `amount` is the
/// refunded sum: a refund that does not name a part is of the whole charge.
struct RefundReadings {
    private let claims: [(amount: Int64?, refunded: Int64?)]
    private let charges: Set<Int64>

    /// - Parameter charges: The reported amounts of the order's payments.
    init(_ refunds: [UnclearRefund], currency: Currency, charges: [Money]) {
        func minor(_ money: Money?) -> Int64? {
            money.flatMap { $0.currency == currency && $0.minor > 0 ? $0.minor : nil }
        }
        claims = refunds.lazy.filter { $0.status == .succeeded }
            .map { (minor($0.claim.amount), minor($0.claim.refunded)) }
        self.charges = Set(charges.lazy.filter { $0.currency == currency }.map(\.minor))
    }

    /// Returns the sums of the readings that fit, or of all readings if none does; only zero if
    /// nothing was refunded.
    func sums(atMost taken: Int64?) -> [Int64] {
        guard !claims.isEmpty else { return [0] }
        let readings = [ownAndSingle, ownAndRunning, chargeAndSingle, chargeAndRunning]
        let fitting = readings.filter { $0.fits && $0.sum <= taken ?? .max }.map(\.sum)
        return fitting.isEmpty ? readings.map(\.sum) : fitting
    }

    private typealias Reading = (sum: Int64, fits: Bool)

    private var ownAndSingle: Reading {
        (
            sum(\.amount),
            claims.allSatisfy { $0.amount != nil && $0.refunded ?? $0.amount == $0.amount }
        )
    }

    private var ownAndRunning: Reading {
        guard claims.allSatisfy({ $0.amount != nil && $0.refunded != nil }) else {
            return (sum(\.amount), false)
        }
        var before: Int64 = 0
        var fits = true
        for claim in claims.sorted(by: { ($0.refunded ?? 0) < ($1.refunded ?? 0) }) {
            let refunded = claim.refunded ?? 0
            fits = fits && refunded >= before.adding(claim.amount ?? 0)
            before = refunded
        }
        return (before, fits)
    }

    private var chargeAndSingle: Reading {
        (sum { $0.refunded ?? $0.amount }, namesCharges)
    }

    private var chargeAndRunning: Reading {
        let sums = claims.map { $0.refunded ?? $0.amount ?? 0 }
        return (sums.max() ?? 0, namesCharges && Set(sums).count == sums.count)
    }

    private var namesCharges: Bool {
        claims.allSatisfy { $0.amount.map(charges.contains) ?? false }
    }

    private func sum(_ amount: ((amount: Int64?, refunded: Int64?)) -> Int64?) -> Int64 {
        claims.reduce(0) { $0.adding(amount($1) ?? 0) }
    }
}
