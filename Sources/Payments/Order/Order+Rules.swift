/// # The rules of an order
///
/// An order is a set of facts (`Order`), and every fact is collected by a join that is commutative,
/// associative and idempotent. Everything below is derived from the set, so any order and any
/// repetition of the same notifications gives the same answer. Only the merchant's own registration
/// knows what came first.
///
/// 1. **Attempts.** The status of an attempt is the highest that was reported (`AttemptStatus`);
///    what captures say outranks it (table at `Attempt.status`). Its amount: table at
///    `Attempt.amount`.
/// 2. **The order's payment** is the best of its attempts: table at `Payment`.
/// 3. **The order's amount** is the sum of its paid attempts: after a double payment that much
///    money was taken. While nothing is paid it is the greatest amount among the attempts that
///    decide the status. What was reported without a transaction id may be one of the named
///    attempts, so it counts as paid only where no named attempt is. Captures without a
///    transaction id: table at `CapturePlaces`.
/// 4. **Refunded** is the sum of the successful refunds, and of what was reversed after it was
///    taken, less the refunds that were taken back (table at `UndoneOperations`). A refund that
///    failed or is pending is listed and changes nothing. Words that allow several readings are
///    read in every way that fits (table at `RefundReadings`): where these agree, the sum counts.
/// 5. **Reversals.** What was authorised and not captured is `canceled` by its reversal. A raise
///    adds to what was authorised; more captured than that is `over_captured`.
/// 6. **Disputes.** One lost makes the order `charged_back`, else one open makes it `disputed`;
///    won, closed and reversed ones leave it what it would be. Each reversal settles one.
/// 7. **Review** is above all: table in `Order.summary`. The status: table at
///    `OrderSummary.status`.
/// 8. **Several amounts** for the same status of the same thing: all are kept, the least counts,
///    `amounts_differ` says so, and the expectation is compared with each. Where they say how much
///    was taken or went back, the order is in `review`.
/// 9. **Expectation.** What was taken, and while nothing is what is set aside, must be the
///    registered amount, currency too; else `conflict` and `review`, whichever came first: table at
///    `contradictsExpected`. A try that failed contradicts nothing.
/// 10. **A full order** (`limits.orderFactsMax`) is in `review`, and its sums are not known.
/// 11. **A person** may resolve a `review` as long as no further fact comes: table at `Resolution`.
/// 12. **Nothing is guessed.** A notification without effect adds its flags and nothing else; one
///    with the effect `doubt` puts the order into `review`.
extension Order {
    /// Everything that is derived, computed in one pass, and what a person has decided.
    package var summary: OrderSummary {
        let summary = factualSummary
        guard summary.status == .review, let resolution else { return summary }
        return isResolved ? summary.resolved(resolution.settlement) : summary.reopened()
    }

    /// As the facts alone have it, whatever a person decided.
    package var factualSummary: OrderSummary {
        if isFull { return OrderSummary(full: markedFlags, isUnjoined: reference == nil) }
        let places = CapturePlaces(self)
        return places.order.summary(places)
    }

    /// As if nothing had to be looked at: of several claims the least counts.
    var acceptedSummary: OrderSummary {
        let places = CapturePlaces(self)
        return places.order.summary(places, isReviewed: true)
    }

    /// As `factualSummary`, of an order whose captures are where they belong.
    private func summary(_ places: CapturePlaces, isReviewed: Bool = false) -> OrderSummary {
        let undone = UndoneOperations(self, areCapturesLoose: places.areLoose)
        let statuses = attempts.indices.map { undone.status(of: attempts[$0], at: $0) }
        let paidAttempts = self.paidAttempts
        let payment = Payment.best(of: statuses.lazy.compactMap(\.self))
        let amount: Money? =
            if places.isAmbiguous {
                nil
            } else if paidAttempts.isEmpty {
                undecidedAmount(of: payment, statuses)
            } else {
                paidAttempts.total(of: \.amount)
            }
        let refund = refundTotal(
            in: amount?.currency, of: paidAttempts.isEmpty ? nil : amount, undone)
        var flags = derivedFlags(amount: amount, paid: paidAttempts, refund: refund, undone)
        flags.insert(.captureAmbiguous, when: places.isAmbiguous)
        let authorized = authorizedSum(undone, statuses, in: amount?.currency)
        flags.insert(
            .invalidAmount,
            when: [amount, authorized, refund.sum].contains { $0?.minor == .max })
        let status = OrderSummary.status(
            needsReview: !isReviewed && needsReview(flags), dispute: disputeStanding(undone),
            payment: payment,
            refund: refund.share(of: amount))
        return OrderSummary(
            status: status, amount: amount, authorized: authorized,
            captured: paidAttempts.isEmpty
                ? amount.map { Money(minor: 0, currency: $0.currency) } : amount,
            refunded: refund.sum, claims: flags.contains(.amountsDiffer) ? claims : [],
            candidates: refund.candidates,
            reason: reason(of: payment, statuses),
            method: told(\.method, of: payment, statuses),
            agreement: told(\.agreement, of: payment, statuses), flags: flags.list)
    }

    private func derivedFlags(
        amount: Money?, paid: [Attempt], refund: RefundTotal, _ undone: UndoneOperations
    ) -> FlagSet {
        var flags = markedFlags
        // What an unsigned message claimed is known from a dispute that the provider vouches for.
        if !disputes.isEmpty { flags.remove(.unverifiedChargeback) }
        let isWhollyRefunded = !paid.isEmpty && refund.share(of: amount) == .whole
        flags.insert(
            .contradicted, when: isContradicted(undone, isWhollyRefunded: isWhollyRefunded))
        flags.insert(.paidTwice, when: isPaidTwice(paid))
        let isUnexpected = contradictsExpected(undone)
        flags.insert(.conflict, when: isUnexpected || hasRivalReferences)
        flags.insert(.amountUnexpected, when: isUnexpected)
        flags.insert(.overRefunded, when: refund.exceeds(amount, isPaid: !paid.isEmpty))
        flags.insert(.currencyMismatch, when: hasCurrencyMismatch(amount: amount, paid: paid))
        flags.insert(.amountsDiffer, when: amountsDiffer)
        flags.insert(
            .amountUnknown, when: refund.hasUnknownAmount || paid.contains { $0.amount == nil })
        flags.insert(.unjoined, when: reference == nil)
        flags.insert(.refundAmbiguous, when: !refund.candidates.isEmpty)
        flags.insert(.reversalAmbiguous, when: undone.isAmbiguous)
        flags.insert(
            .captureFailed, when: paid.isEmpty && attempts.contains(where: \.isCaptureFailed))
        flags.insert(
            .partiallyCaptured, when: paid.contains { isPartlyCaptured($0, undone) })
        flags.insert(.overCaptured, when: paid.contains { isOverCaptured($0, undone) })
        return flags
    }

    /// | what does not add up | flag |
    /// |---|---|
    /// | the same event with other content, or one payment under two references | `conflict` |
    /// | an amount or currency that the merchant did not register | the same, `amount_unexpected` |
    /// | different amounts for what was taken or went back | `amounts_differ` |
    /// | more refunded than paid | `over_refunded` |
    /// | one payment told in two currencies | `currency_mismatch` |
    /// | an amount below zero, or a sum too large for 64 bits | `invalid_amount` |
    /// | refunds in words that allow several sums | `refund_ambiguous` |
    /// | a reversal of which nobody knows what it undid | `reversal_ambiguous` |
    /// | captures of unknown payments, where the sum depends on it | `capture_ambiguous` |
    /// | words about money that no signature covers | `unsigned_claim`, `unverified_chargeback` |
    /// | a claim about money that cannot be read | `not_understood` |
    /// | more events than an order holds | `too_many_events` |
    private func needsReview(_ flags: FlagSet) -> Bool {
        flags.intersects(.reviewing) || flags.intersects(Self.derivedReviewing)
            || (flags.contains(.amountsDiffer) && moneyDiffers)
    }

    private static let derivedReviewing = FlagSet([
        .overRefunded, .currencyMismatch, .refundAmbiguous, .reversalAmbiguous,
        .captureAmbiguous,
    ])

    /// Why the payment came to nothing; the least of several by bytes.
    private func reason(of payment: Payment?, _ statuses: [AttemptStatus?]) -> Reason? {
        guard let status = payment?.attempt, [.failed, .canceled, .expired].contains(status) else {
            return nil
        }
        return zip(attempts, statuses).filter { $1 == status }
            .reduce(nil) { Reason.lesser($0, $1.0.reports.reason) }
    }

    /// The least by bytes of what the attempts say that decide `payment`.
    private func told(
        _ word: KeyPath<Attempt, String?>, of payment: Payment?, _ statuses: [AttemptStatus?]
    ) -> String? {
        guard let status = payment?.attempt else { return nil }
        if attempts.count == 1 { return attempts[0][keyPath: word] }
        return zip(attempts, statuses).filter { $1 == status }
            .reduce(nil) { lesser($0, $1.0[keyPath: word]) }
    }

    package var status: OrderStatus { summary.status }
    /// What was paid, or while nothing is, what is to be paid by the provider's word; nil when
    /// unknown.
    package var amount: Money? { summary.amount }
    /// The sum of what went back: zero when nothing did, nil when it or its currency is unknown.
    package var refunded: Money? { summary.refunded }
    /// Marked and derived flags, in the order in which `Flag` declares them.
    package var flags: [Flag] { summary.flags }
}
