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
        let listed = sum(succeededRefunds.map(\.amount))
        let claims = distinctClaims.filter { !isListed($0, in: currency) }
        let readings = RefundReadings(claims, currency: currency, charges: chargeAmounts)
        var candidates = readings.sums(atMost: charge?.minor).flatMap { claimed in
            let apart = claimed.adding(told)
            // What the claims tell may be among what an answer lists under other ids.
            if claimed == 0 || listed == 0 { return [apart] }
            return [apart, max(claimed, listed).adding(max(0, told - listed))]
        }
        if let charge, candidates.contains(where: { $0 <= charge.minor }) {
            candidates.removeAll { $0 > charge.minor }
        }
        if let refundedAtLeast {
            // A reported refund may since have been reversed.
            let isUnknown = undone.restored.contains { $0 == nil }
            let least = isUnknown ? 0 : max(0, refundedAtLeast.minor - sum(undone.restored))
            let fitting = candidates.filter {
                refundedAtLeast.currency == currency && $0 >= least
            }
            // A payment says that more went back than every reading comes to.
            candidates = fitting.isEmpty ? candidates + [least] : fitting
        }
        let distinct = Set(candidates).sorted().map { Money(minor: $0, currency: currency) }
        if distinct.count == 1 { total.sum = distinct[0] } else { total.candidates = distinct }
        return total
    }

    /// The successful refunds that a provider told of in clear words.
    private var succeededRefunds: [Refund] { refunds.filter { $0.status == .succeeded } }

    /// Whether clear words tell of the refund that a claim is about.
    ///
    /// | the claim's id is | it is listed when |
    /// |---|---|
    /// | that of a refund in clear words | some reading of the claim is of that amount |
    /// | a payment's | a refund has one of its sums, there are no more such claims than refunds, |
    /// | | and these are together all that the payment says |
    /// | another | never: it may be one of those, or not |
    private func isListed(_ refund: UnclearRefund, in currency: Currency) -> Bool {
        let claim = refund.claim
        let listed = succeededRefunds.filter { $0.amount?.currency == currency }
        if let amount = listed.named(refund.id)?.amount {
            let isOwn = claim.amount == amount || claim.amount.map(chargeAmounts.contains) ?? true
            return isOwn && claim.refunded.map { amount <= $0 } ?? true
        }
        guard attempts.index(id: refund.id) != nil, let refundedAtLeast else { return false }
        let claims = distinctClaims.filter { attempts.index(id: $0.id) != nil }
        return listed.total(of: \.amount) == refundedAtLeast && claims.count <= listed.count
            && listed.contains { $0.amount == claim.amount || $0.amount == claim.refunded }
    }

    /// The claims under an id that is not a payment's are of one refund when they say the same, at
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
