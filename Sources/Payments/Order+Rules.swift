/// # The rules of an order
///
/// An order is a set of facts (`Order`), and every fact is collected by a join that is commutative,
/// associative and idempotent. Everything below is derived from the set, so any order and any
/// repetition of the same notifications gives the same answer. Only the conflict mark and the
/// merchant's own registration know what came first.
///
/// 1. **Attempts.** The status of an attempt is the highest that was reported (`AttemptStatus`); a
///    successful capture makes it `paid`. Its amount: table at `Attempt.amount`.
/// 2. **The order's payment** is the best of its attempts: table at `Payment`.
/// 3. **The order's amount** is the sum of its paid attempts: after a double payment that much
///    money was taken. While nothing is paid it is the greatest amount among the attempts that
///    decide the status. What was reported without a transaction id may be one of the named
///    attempts, so it counts as paid only where no named attempt is.
/// 4. **Refunded** is the sum of the successful refunds. A refund that failed or is pending is
///    listed and changes nothing.
/// 5. **Disputes.** One lost makes the order `charged_back`, else one open makes it `disputed`; won
///    and closed ones leave it what it would be.
/// 6. **Review** stands above all: table in `Order.summary`. The status: table at
///    `OrderSummary.status`.
/// 7. **Several amounts** for the same status of the same thing, under different event ids: the
///    greatest counts, `amounts_differ` says so, and the expectation is compared with each.
/// 8. **Expectation.** Every amount that an attempt reports, and the sum of captures where that is
///    what was paid, must be the registered one, currency too; else `conflict` and `review`,
///    whichever came first. A report contradicts for good; captures only until their sum is whole.
/// 9. **Nothing is guessed.** A notification without effect adds its flags and nothing else.
extension Order {
    /// Everything that is derived, computed in one pass.
    package var summary: OrderSummary {
        let paidAttempts = self.paidAttempts
        let payment = Payment.best(of: attempts.lazy.compactMap(\.status))
        let amount =
            paidAttempts.isEmpty
            ? undecidedAmount(of: payment) : paidAttempts.total(of: \.amount)
        let refund = refundTotal(in: amount?.currency)
        let contradictsExpectation = self.contradictsExpectation

        var flags = markedFlags
        flags.insert(.contradicted, when: isContradicted)
        flags.insert(.paidTwice, when: paidAttempts.count > 1)
        flags.insert(.conflict, when: contradictsExpectation)
        flags.insert(.overRefunded, when: refund.exceeds(amount, isPaid: !paidAttempts.isEmpty))
        flags.insert(
            .currencyMismatch, when: hasCurrencyMismatch(amount: amount, paid: paidAttempts))
        flags.insert(.amountsDiffer, when: amountsDiffer)
        let amountUnknown = refund.hasUnknownAmount || paidAttempts.contains { $0.amount == nil }
        flags.insert(.amountUnknown, when: amountUnknown)
        flags.insert(.unjoined, when: reference == nil)

        // | what does not add up | flag |
        // |---|---|
        // | an amount or currency that the merchant did not register | `conflict`, derived only |
        // | more refunded than paid | `over_refunded` |
        // | one payment told in two currencies | `currency_mismatch` |
        // | an amount below zero | `invalid_amount` |
        let needsReview =
            contradictsExpectation || flags.contains(.overRefunded)
            || flags.contains(.currencyMismatch) || flags.contains(.invalidAmount)
        let status = OrderSummary.status(
            needsReview: needsReview, dispute: disputeStanding, payment: payment,
            refund: refund.share(of: amount))
        return OrderSummary(
            status: status, amount: amount, refunded: refund.sum, flags: flags.list)
    }

    package var status: OrderStatus { summary.status }
    /// What was paid, or while nothing is, what is to be paid by the provider's word; nil when
    /// unknown.
    package var amount: Money? { summary.amount }
    /// The sum of the successful refunds: zero when there is none, nil when no currency is known.
    package var refunded: Money? { summary.refunded }
    /// Marked and derived flags, in the order in which `Flag` declares them.
    package var flags: [Flag] { summary.flags }
}
