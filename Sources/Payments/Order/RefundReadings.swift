/// The sums that refunds may come to whose words allow several readings (`RefundClaim`).
///
/// Three things are not said: whether the id is the refund's own or the charge's, whether `amount`
/// is the refund's or the charge's, and whether `amount_refunded` is this refund or the sum so far.
/// The first is decided by the facts: two claims are one refund only when they say the same. The
/// others give four readings, each with a sum and a condition that every claim must fulfil:
///
/// | `amount` | `amount_refunded` | sum | fits when |
/// |---|---|---|---|
/// | the refund's | this refund | of the `amount`s | both are the same, or the latter is absent |
/// | the refund's | the sum so far | the greatest `amount_refunded` | it grows by the `amount`s |
/// | the charge's | this refund | of the `amount_refunded`s | each `amount` is a charge's |
/// | the charge's | the sum so far | the greatest `amount_refunded` | as above, and none repeats |
///
/// In every reading the sum is at most what was taken. Without `amount_refunded` the amount is what
/// went back, whosever it is: a refund that does not name a part is of the whole.
struct RefundReadings {
    private let claims: [(amount: Int64?, refunded: Int64?)]
    private let charges: Set<Int64>

    /// - Parameter charges: The amounts that payments of the order were reported with.
    init(_ refunds: [UnclearRefund], currency: Currency, charges: [Money]) {
        func minor(_ money: Money?) -> Int64? {
            money.flatMap { $0.currency == currency && $0.minor > 0 ? $0.minor : nil }
        }
        claims = refunds.lazy.filter { $0.status == .succeeded }
            .map { (minor($0.claim.amount), minor($0.claim.refunded)) }
        self.charges = Set(charges.lazy.filter { $0.currency == currency }.map(\.minor))
    }

    /// The sums of the readings that fit; of all readings when none does. Zero alone when nothing
    /// was refunded.
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
