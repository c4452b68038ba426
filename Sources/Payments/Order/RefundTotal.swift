/// The refunded sum of an order.
struct RefundTotal: Equatable {
    /// The sum, in the currency of the order's amount if known; zero if nothing was refunded in it.
    /// Nil if unknown.
    var sum: Money?
    /// Whether a successful refund has no amount.
    var hasUnknownAmount = false
    /// The possible sums in ascending order, if the provider's reports allow several.
    var candidates: [Money] = []

    /// How much of the paid amount was refunded.
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

    /// Whether more was refunded than paid. Nothing is paid until an attempt is; if one is paid
    /// without a known amount, no sum counts as too much.
    func exceeds(_ amount: Money?, isPaid: Bool) -> Bool {
        let refunded = sum?.minor ?? 0
        guard isPaid else { return refunded > 0 || hasUnknownAmount || !candidates.isEmpty }
        guard let amount else { return false }
        return refunded > amount.minor
    }
}

extension Order {
    /// Returns the refunded sum: successful refunds and reversals of payments, less the refunds
    /// that were reversed.
    ///
    /// - Parameter currency: The order's currency; if nil, that of the first refund with an amount.
    func refundTotal(
        in currency: Currency?, of charge: Money?, _ undone: UndoneOperations
    ) -> RefundTotal {
        if refunds.isEmpty && unclearRefunds.isEmpty && undone.isNothing && refundedAtLeast == nil {
            return RefundTotal(sum: currency.map { Money(minor: 0, currency: $0) })
        }
        let running = RunningTotals(succeededRefunds)
        let back = running.others.map(\.amount) + undone.returned
        var total = RefundTotal()
        total.hasUnknownAmount =
            back.contains { $0 == nil } || undone.restored.contains { $0 == nil }
        let first = (back + unclearRefunds.map(\.claim.amount)).compactMap(\.self).first?.currency
        guard let currency = currency ?? first ?? refundedAtLeast?.currency else { return total }
        let added = running.additions(in: currency)
        if added.isEmpty { total.hasUnknownAmount = true }
        func sum(_ amounts: [Money?]) -> Int64 {
            amounts.filter { $0?.currency == currency }.total(of: \.self)?.minor ?? 0
        }
        let clear = max(0, sum(back) - sum(undone.restored))
        let listed = sum(succeededRefunds.map(\.amount))
        let claims = distinctClaims.filter { !isListed($0, in: currency) }
        let readings = RefundReadings(claims, currency: currency, charges: chargeAmounts)
        var candidates = readings.sums(atMost: charge?.minor).flatMap { claimed in
            let apart = claimed.adding(clear)
            // The claimed refunds may also be listed under other ids, by the answer to an inquiry.
            if claimed == 0 || listed == 0 { return [apart] }
            return [apart, max(claimed, listed).adding(max(0, clear - listed))]
        }
        if !added.isEmpty {
            candidates = candidates.flatMap { sum in added.map { sum.adding($0) } }
        }
        if let charge, candidates.contains(where: { $0 <= charge.minor }) {
            candidates.removeAll { $0 > charge.minor }
        }
        if let refundedAtLeast {
            // A refund in the reported sum may have been reversed since.
            let isUnknown = undone.restored.contains { $0 == nil }
            let least = isUnknown ? 0 : max(0, refundedAtLeast.minor - sum(undone.restored))
            let fitting = candidates.filter {
                refundedAtLeast.currency == currency && $0 >= least
            }
            // The payment reports a greater refunded sum than every reading.
            candidates = fitting.isEmpty ? candidates + [least] : fitting
        }
        let distinct = Set(candidates).sorted().map { Money(minor: $0, currency: currency) }
        if distinct.count == 1 { total.sum = distinct[0] } else { total.candidates = distinct }
        return total
    }

    /// The successful refunds that were reported unambiguously.
    private var succeededRefunds: [Refund] { refunds.filter { $0.status == .succeeded } }

    /// Whether the refund of a claim was also reported unambiguously.
    ///
    /// | the claim's id is | it is listed when |
    /// |---|---|
    /// | that of an unambiguous refund | some reading of the claim has that amount |
    /// | a payment's | a refund has one of its sums, there are no more such claims than refunds, |
    /// | | and the refunds add up to the sum reported on the payment |
    /// | another | never: it may or may not be one of the refunds |
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

    /// The successful claims without duplicates. Equal claims under a refund's id are one refund,
    /// whatever their time; under a payment's id the time distinguishes two equal refunds.
    private var distinctClaims: [UnclearRefund] {
        var distinct: [UnclearRefund] = []
        // The claims of one id are adjacent.
        var seen: Set<RefundClaim> = []
        for refund in unclearRefunds where refund.status == .succeeded {
            if let last = distinct.last, utf8Order(last.id, refund.id) != 0 { seen.removeAll() }
            var claim = refund.claim
            claim.moment = nil
            let isNew = seen.insert(claim).inserted
            if isNew || attempts.index(id: refund.id) != nil { distinct.append(refund) }
        }
        return distinct
    }

    /// The reported amounts of the order's payments.
    private var chargeAmounts: [Money] {
        attempts.flatMap { attempt in
            attempt.reports.entries.flatMap { $0.amounts?.all ?? [] }
        }
    }
}
