/// What has gone back of an order's money, added up.
struct RefundTotal: Equatable {
    /// In the currency of the order's amount when there is one; zero when nothing was refunded in
    /// it. Nil when it is unknown.
    var sum: Money?
    /// True when a successful refund does not say how much.
    var hasUnknownAmount = false
    /// The sums that the provider's words allow, rising, where they allow several.
    var candidates: [Money] = []

    /// How much of what was paid has gone back.
    enum Share {
        case nothing
        case part
        case whole
    }

    /// | refunded | share |
    /// |---|---|
    /// | zero, and every amount is known | `nothing` |
    /// | zero, but not every amount is known | `part` |
    /// | less than the amount, or that amount is unknown | `part` |
    /// | the amount or more | `whole` |
    func share(of amount: Money?) -> Share {
        let refunded = sum?.minor ?? 0
        if refunded == 0 { return hasUnknownAmount ? .part : .nothing }
        guard let amount else { return .part }
        return refunded < amount.minor ? .part : .whole
    }

    /// True when more went back than came in. Nothing has come in until an attempt is paid; when
    /// one is and nobody said how much, nothing is known to be too much.
    func exceeds(_ amount: Money?, isPaid: Bool) -> Bool {
        let refunded = sum?.minor ?? 0
        guard isPaid else { return refunded > 0 || hasUnknownAmount || !candidates.isEmpty }
        guard let amount else { return false }
        return refunded > amount.minor
    }
}

extension Order {
    /// What has gone back: successful refunds and reversals of payments, less the refunds that were
    /// taken back.
    ///
    /// - Parameter currency: The order's; where it is nil, that of the first amount that there is.
    func refundTotal(
        in currency: Currency?, of charge: Money?, _ undone: UndoneOperations
    ) -> RefundTotal {
        if refunds.isEmpty && unclearRefunds.isEmpty && undone.isNothing && refundedAtLeast == nil {
            return RefundTotal(sum: currency.map { Money(minor: 0, currency: $0) })
        }
        let back = succeededRefunds.map(\.amount) + undone.returned
        var total = RefundTotal()
        total.hasUnknownAmount =
            back.contains { $0 == nil } || undone.restored.contains { $0 == nil }
        let first = (back + unclearRefunds.map(\.claim.amount)).compactMap(\.self).first?.currency
        guard let currency = currency ?? first ?? refundedAtLeast?.currency else { return total }
        func sum(_ amounts: [Money?]) -> Int64 {
            amounts.filter { $0?.currency == currency }.total(of: \.self)?.minor ?? 0
        }
        let told = max(0, sum(back) - sum(undone.restored))
        let readings = RefundReadings(distinctClaims, currency: currency, charges: chargeAmounts)
        var candidates = readings.sums(atMost: charge?.minor).map { $0.adding(told) }
        if let least = refundedAtLeast {
            let fitting = candidates.filter { least.currency == currency && $0 >= least.minor }
            // A payment says that more went back than every reading comes to.
            candidates = fitting.isEmpty ? candidates + [least.minor] : fitting
        }
        let distinct = Set(candidates).sorted().map { Money(minor: $0, currency: currency) }
        if distinct.count == 1 { total.sum = distinct[0] } else { total.candidates = distinct }
        return total
    }

    /// The successful refunds that no claim under the same id tells in other words.
    private var succeededRefunds: [Refund] {
        refunds.filter { $0.status == .succeeded && !unclearRefunds.contains(id: $0.id) }
    }

    /// The claims under an id that is no payment's are of one refund when they say the same, at
    /// whatever time; under a payment's id only the time tells two equal refunds apart.
    private var distinctClaims: [UnclearRefund] {
        var distinct: [UnclearRefund] = []
        // The claims of one id stand side by side.
        var told: Set<RefundClaim> = []
        for refund in unclearRefunds where refund.status == .succeeded {
            if let last = distinct.last, utf8Order(last.id, refund.id) != 0 { told.removeAll() }
            var claim = refund.claim
            claim.moment = nil
            let isNew = told.insert(claim).inserted
            if isNew || attempts.index(id: refund.id) != nil { distinct.append(refund) }
        }
        return distinct
    }

    /// The amounts that any payment of the order was reported with.
    private var chargeAmounts: [Money] {
        attempts.flatMap { attempt in
            attempt.reports.entries.flatMap { $0.amounts?.all ?? [] }
        }
    }
}
