/// # The rules of an order
///
/// An order is a set of facts (`Order`), and every fact is collected by a join that is commutative,
/// associative and idempotent. Everything below is derived from the set, so the same notifications
/// give the same result in any order and with any repetition. Only of the merchant's registrations
/// does the last one count.
///
/// 1. **Attempts.** The status of an attempt is the highest reported one (`AttemptStatus`), but
///    captures outrank it: table at `Attempt.status`. Its amount: table at `Attempt.amount`.
/// 2. **The order's payment** is the best of its attempts: table at `Payment`.
/// 3. **The order's amount** is the sum of its paid attempts, also after a double payment. While
///    nothing is paid it is the greatest amount among the attempts that decide the status. A report
///    without a transaction id may be about a named attempt, so it counts as paid only if no named
///    attempt is. Captures without a transaction id: table at `CapturePlaces`.
/// 4. **Refunded** is the sum of the successful refunds and of captured money that was reversed,
///    less the refunds that were reversed (table at `UndoneOperations`). A refund that failed or is
///    pending is listed and changes nothing. Ambiguous reports are read in every way that fits
///    (table at `RefundReadings`); if the readings agree, the sum counts.
/// 5. **Reversals.** A reversal makes an authorised and uncaptured attempt `canceled`. A raise adds
///    to the authorised amount; capturing more than that is `over_captured`.
/// 6. **Disputes.** A lost one makes the order `charged_back`, else an open one makes it
///    `disputed`. Won, closed and reversed ones do not change its status. Each reversal settles one
///    dispute.
/// 7. **Review** outranks every other status: table at `needsReview`. The status: table at
///    `OrderSummary.status`.
/// 8. **Several amounts** for one status of one operation: all are kept, the least counts, the
///    order has the flag `amounts_differ`, and the expectation is compared with each. If they are
///    about money that was captured or returned, the order is in `review`.
/// 9. **Expectation.** The captured amount, or the authorised amount while nothing is captured,
///    must equal the registered amount and currency. Otherwise the order has the flag
///    `amount_unexpected` and is in `review`, whichever came first: table at
///    `contradictsExpected`. A failed attempt contradicts nothing.
/// 10. **A full order** (`limits.orderFactsMax`) is in `review`, and its sums are unknown.
/// 11. **A person** may resolve a `review`; it stays resolved until a further fact comes: table at
///    `Resolution`.
/// 12. **An unconfirmed success** (flag `unconfirmed`) changes no status and no sum. A confirmed
///    report of the same operation counts, whichever came first; if its amount differs, the order
///    has the flag `amounts_differ`.
/// 13. **Nothing is guessed.** A notification without effect adds only its flags; one with the
///    effect `doubt` puts the order into `review`.
extension Order {
    /// Everything derived from the facts, with a person's resolution applied.
    public var summary: OrderSummary {
        let summary = factualSummary
        guard summary.status == .review, let resolution else { return summary }
        return isResolved ? summary.resolved(resolution.settlement) : summary.reopened()
    }

    /// The summary of the facts alone, without a person's resolution.
    package var factualSummary: OrderSummary {
        if isFull { return OrderSummary(full: markedFlags, isUnjoined: reference == nil) }
        let places = CapturePlaces(self)
        return places.order.summary(places)
    }

    /// The summary as if nothing needed review: of several claims the least counts.
    var acceptedSummary: OrderSummary {
        let places = CapturePlaces(self)
        return places.order.summary(places, isReviewed: true)
    }

    /// Same as ``factualSummary``, for an order with assigned captures.
    private func summary(_ places: CapturePlaces, isReviewed: Bool = false) -> OrderSummary {
        let undone = UndoneOperations(self, areCapturesLoose: places.areLoose)
        let statuses = attempts.indices.map { undone.status(of: attempts[$0], at: $0) }
        let paidAttempts = self.paidAttempts
        let payment =
            Payment.best(of: statuses.lazy.compactMap(\.self))
            ?? (undone.releasesUnknown ? .canceled : nil)
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
            needsReview: !isReviewed && needsReview(flags), dispute: disputeOutcome(undone),
            payment: payment,
            refund: refund.share(of: amount))
        return OrderSummary(
            status: status, amount: amount, authorized: authorized,
            captured: paidAttempts.isEmpty
                ? amount.map { Money(minor: 0, currency: $0.currency) } : amount,
            refunded: refund.sum, claims: flags.contains(.amountsDiffer) ? claims : [],
            candidates: refund.candidates,
            reason: reason(of: payment, statuses),
            method: leastWord(of: payment, statuses) { $0.method },
            agreement: leastWord(of: payment, statuses) { $0.agreement }, flags: flags.list)
    }

    private func derivedFlags(
        amount: Money?, paid: [Attempt], refund: RefundTotal, _ undone: UndoneOperations
    ) -> FlagSet {
        var flags = markedFlags
        // An authenticated dispute confirms the unsigned chargeback.
        if !disputes.isEmpty { flags.remove(.unverifiedChargeback) }
        flags.remove(.unconfirmed)
        flags.insert(.unconfirmed, when: hasUnconfirmed)
        let isWhollyRefunded = !paid.isEmpty && refund.share(of: amount) == .whole
        flags.insert(
            .contradicted, when: isContradicted(undone, isWhollyRefunded: isWhollyRefunded))
        flags.insert(.paidTwice, when: isPaidTwice(paid))
        flags.insert(.conflict, when: hasRivalReferences)
        flags.insert(.amountUnexpected, when: contradictsExpected(undone))
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

    /// | reason for review | flag |
    /// |---|---|
    /// | the same event with different content, or one payment under two references | `conflict` |
    /// | an amount or currency other than registered | `amount_unexpected` |
    /// | different amounts for money captured or returned | `amounts_differ` |
    /// | more refunded than paid | `over_refunded` |
    /// | one payment reported in two currencies | `currency_mismatch` |
    /// | a negative amount, or a sum too large for 64 bits | `invalid_amount` |
    /// | refund reports that allow several sums | `refund_ambiguous` |
    /// | a reversal of an unknown operation | `reversal_ambiguous` |
    /// | captures of unknown payments that the sum depends on | `capture_ambiguous` |
    /// | a claim that no signature covers | `unsigned_claim`, `unverified_chargeback` |
    /// | an unreadable report about money | `not_understood` |
    /// | more events than an order holds | `too_many_events` |
    /// | reported as failed, and unconfirmed as paid | `contradicted`, `unconfirmed` |
    private func needsReview(_ flags: FlagSet) -> Bool {
        flags.intersects(.reviewing) || flags.intersects(Self.derivedReviewing)
            || (flags.contains(.amountsDiffer) && moneyDiffers)
            || (flags.contains(.contradicted) && flags.contains(.unconfirmed))
    }

    private static let derivedReviewing = FlagSet([
        .overRefunded, .currencyMismatch, .refundAmbiguous, .reversalAmbiguous,
        .captureAmbiguous, .amountUnexpected,
    ])

    /// The reason why the payment failed, expired or was canceled; the least of several by bytes.
    private func reason(of payment: Payment?, _ statuses: [AttemptStatus?]) -> Reason? {
        guard let status = payment?.attempt, [.failed, .canceled, .expired].contains(status) else {
            return nil
        }
        return zip(attempts, statuses).filter { $1 == status }
            .reduce(nil) { Reason.lesser($0, $1.0.reports.reason) }
    }

    /// The least value by bytes of the attempts that decide `payment`.
    private func leastWord(
        of payment: Payment?, _ statuses: [AttemptStatus?], _ word: (Attempt) -> String?
    ) -> String? {
        guard let status = payment?.attempt else { return nil }
        if attempts.count == 1 { return word(attempts[0]) }
        return zip(attempts, statuses).filter { $1 == status }
            .reduce(nil) { lesser($0, word($1.0)) }
    }

    /// The status of ``summary``.
    public var status: OrderStatus { summary.status }
    /// The paid amount, or the amount to be paid while nothing is; nil if unknown.
    public var amount: Money? { summary.amount }
    /// The refunded sum: zero if nothing was refunded, nil if it or its currency is unknown.
    public var refunded: Money? { summary.refunded }
    /// Marked and derived flags, in the order in which `Flag` declares them.
    public var flags: [Flag] { summary.flags }
}

// MARK: Questions about the facts

extension Order {
    /// The attempts that are paid. Reports without a transaction id count only if no named attempt
    /// is paid, because they may be about the same payment. A capture that no named attempt has is
    /// counted separately.
    private var paidAttempts: [Attempt] {
        // Nearly every order has one attempt; this avoids an allocation for it.
        if attempts.count == 1 { return attempts[0].status == .paid ? attempts : [] }
        let paid = attempts.filter { $0.status == .paid }
        let named = paid.filter { !$0.transaction.isEmpty }
        guard !named.isEmpty, var unnamed = paid.first, unnamed.transaction.isEmpty else {
            return paid
        }
        unnamed.captures.removeAll { capture in
            named.contains { $0.captures.index(id: capture.id) != nil }
        }
        return unnamed.isPaidByCaptures ? named + [unnamed] : named
    }

    /// The amount while nothing is paid: the greatest among the attempts that decide `payment`.
    private func undecidedAmount(of payment: Payment?, _ statuses: [AttemptStatus?]) -> Money? {
        guard let status = payment?.attempt else { return nil }
        return zip(attempts, statuses).lazy.filter { $1 == status }.compactMap(\.0.amount).max()
    }

    /// The authorised sum of the attempts that are authorised or paid; if there are none, the
    /// greatest amount that was authorised. It is in the currency of the order's amount.
    private func authorizedSum(
        _ undone: UndoneOperations, _ statuses: [AttemptStatus?], in currency: Currency?
    ) -> Money? {
        if attempts.count == 1 { return undone.authorized(of: attempts[0], at: 0) }
        func isIt(_ money: Money?) -> Bool {
            money.map { $0.currency == currency ?? $0.currency } ?? false
        }
        let live = attempts.indices.filter {
            statuses[$0] == .authorized || statuses[$0] == .paid
        }
        guard live.isEmpty else {
            // An attempt without a transaction id may be one of the named ones.
            let named = live.filter { !attempts[$0].transaction.isEmpty }
            return (named.isEmpty ? live : named)
                .filter { isIt(undone.authorized(of: attempts[$0], at: $0)) }
                .total { undone.authorized(of: attempts[$0], at: $0) }
        }
        return attempts.lazy.compactMap(\.authorized).filter(isIt).max()
    }

    /// Whether less of a paid attempt was captured than authorised, or less by captures than the
    /// merchant expects.
    private func isPartlyCaptured(_ attempt: Attempt, _ undone: UndoneOperations) -> Bool {
        guard let amount = attempt.amount else { return false }
        return [
            authorized(by: attempt, undone), attempt.isPaidByCaptures ? expected?.amount : nil,
        ].contains { $0.map { amount.isLess(than: $0) } ?? false }
    }

    /// Whether more of an attempt was captured than authorised.
    private func isOverCaptured(_ attempt: Attempt, _ undone: UndoneOperations) -> Bool {
        guard attempt.isPaidByCaptures, let amount = attempt.amount else { return false }
        return authorized(by: attempt, undone)?.isLess(than: amount) ?? false
    }

    /// Whether the order was paid twice.
    ///
    /// | the paid attempts | paid twice |
    /// |---|---|
    /// | two that are not instalments | yes |
    /// | instalments of two agreements | yes |
    /// | instalments of one agreement and one other, its first payment | no |
    private func isPaidTwice(_ paid: [Attempt]) -> Bool {
        guard paid.count > 1 else { return false }
        let named = paid.filter { !$0.transaction.isEmpty }
        let agreements = Set(named.compactMap(\.agreement).map { ExactText($0) })
        return named.count { $0.agreement == nil } > 1 || agreements.count > 1
    }

    private func disputeOutcome(_ undone: UndoneOperations) -> Dispute.Outcome {
        if disputes.isEmpty { return .settled }
        return Dispute.Outcome.of(
            disputes.indices.lazy.compactMap { undone.status(of: disputes[$0], at: $0) })
    }

    /// Whether the merchant registered an amount and a different one was authorised or captured.
    package var contradictsExpectation: Bool {
        guard expected != nil else { return false }
        let places = CapturePlaces(self)
        return places.order.contradictsExpected(
            UndoneOperations(places.order, areCapturesLoose: places.areLoose))
    }

    /// Same as ``contradictsExpectation``, for an order with assigned captures.
    ///
    /// | the payment is | compared with the expected amount |
    /// |---|---|
    /// | captured at once | every reported amount; less is allowed if reported as partial |
    /// | captured in parts | their sum: more contradicts; less only if no more can be captured |
    /// | only authorised | every reported amount; after a raise the last one |
    /// | none of these | nothing: a failed or pending attempt moved no money |
    private func contradictsExpected(_ undone: UndoneOperations) -> Bool {
        guard let expected = expected?.amount else { return false }
        let paid = paidAttempts
        guard paid.isEmpty else {
            return paid.contains { attempt in
                guard attempt.isPaidByCaptures else {
                    let amounts =
                        attempt.reports.claims(of: .paid)?.all ?? [attempt.amount ?? expected]
                    // Some providers report on the charge that it was captured in part.
                    let isPart = markedFlags.contains(.partiallyCaptured)
                    return amounts.contains {
                        $0 != expected && !(isPart && $0.isLess(than: expected))
                    }
                }
                guard let captured = attempt.amount, captured != expected else { return false }
                guard captured.isLess(than: expected) else { return true }
                // Less than expected was authorised, so captures cannot reach the expected amount.
                guard let authorized = authorized(by: attempt, undone),
                    authorized != captured || attempt.hasReportedAuthorization
                else { return false }
                return authorized.isLess(than: expected)
            }
        }
        return attempts.indices.contains { place in
            guard undone.status(of: attempts[place], at: place) == .authorized else { return false }
            let amounts =
                undone.isRaised(at: place)
                ? [undone.raised(attempts[place], at: place) ?? expected]
                : attempts[place].reports.claims(of: .authorized)?.all
                    ?? attempts[place].reports.claims(of: .paid)?.all ?? []
            return amounts.contains { $0 != expected }
        }
    }

    /// Whether something was reported both as succeeded and as failed, or a dispute as won and as
    /// lost.
    ///
    /// - Parameter isWhollyRefunded: Whether all money was returned, which explains a cancellation
    ///   after the payment.
    private func isContradicted(_ undone: UndoneOperations, isWhollyRefunded: Bool) -> Bool {
        attempts.indices.contains {
            // Reports without an id may be about several tries if other reports name their attempt.
            (attempts.count == 1 || !attempts[$0].transaction.isEmpty)
                && attempts[$0].isContradicted(
                    isUndone: isWhollyRefunded || undone.isWhollyUndone(at: $0))
        }
            || refunds.contains { $0.reports.isContradicted }
            || reversals.contains { $0.reports.isContradicted }
            || hasContradictedClaim
            || disputes.contains { $0.reports.contains(.won) && $0.reports.contains(.lost) }
    }

    /// Whether an unclear refund both succeeded and failed. Under a payment's id only equal claims
    /// are the same refund; any other id is the refund's own.
    private var hasContradictedClaim: Bool {
        unclearRefunds.contains(where: \.isContradicted)
            || unclearRefunds.contradictedIDs.contains { attempts.index(id: $0) == nil }
    }

    /// | reported in more than one currency | mismatch |
    /// |---|---|
    /// | one attempt, except reports of unpaid ends and failed captures | yes |
    /// | two paid attempts | yes: they cannot be added |
    /// | the order's amount and a refund or reversal that did not fail | yes |
    /// | two attempts, one of them unpaid | no: the customer may choose another currency |
    /// | a dispute | no: providers report it in the currency of settlement |
    private func hasCurrencyMismatch(amount: Money?, paid: [Attempt]) -> Bool {
        let withinAttempt = attempts.contains { attempt in
            guard attempt.status.map({ !$0.isUnpaidEnd }) ?? true,
                let currency = attempt.amount?.currency
            else { return false }
            return !attempt.isAll(in: currency)
        }
        guard !withinAttempt, let currency = amount?.currency else { return withinAttempt }
        return paid.contains { $0.amount.map { $0.currency != currency } ?? false }
            || refunds.contains {
                $0.status != .failed && !$0.reports.amountsAreAll(in: currency)
            }
            || reversals.contains {
                $0.kind != .dispute && $0.status != .failed
                    && !$0.reports.amountsAreAll(in: currency)
            }
            || unclearRefunds.contains {
                $0.status != .failed
                    && [$0.claim.amount, $0.claim.refunded].contains {
                        $0.map { $0.currency != currency } ?? false
                    }
            }
    }

    private var amountsDiffer: Bool {
        hasRivalPayment || attempts.contains(where: \.amountsDiffer)
            || (takesUnconfirmed
                && attempts.contains { $0.captures.contains(where: unconfirmedDiffers) })
            || refunds.contains { $0.reports.amountsDiffer }
            || disputes.contains { $0.reports.amountsDiffer }
            || reversals.contains { $0.reports.amountsDiffer }
    }

    /// Whether a success was reported that no report confirms.
    package var hasUnconfirmed: Bool {
        attempts.contains(where: \.isUnconfirmed)
            || (takesUnconfirmed && attempts.contains { $0.captures.contains(where: \.isPending) })
    }

    /// Whether an unconfirmed success was reported, so that a pending capture may be one.
    private var takesUnconfirmed: Bool { markedFlags.contains(.unconfirmed) }

    /// Whether another amount was captured than reported before without proof.
    private func unconfirmedDiffers(_ capture: Capture) -> Bool {
        guard takesUnconfirmed, let amounts = capture.reports.claims(of: .pending),
            let confirmed = capture.reports.amount(of: .succeeded)
        else { return false }
        return !amounts.isExactly(confirmed)
    }

    /// Whether there are different amounts for money that was captured or returned.
    private var moneyDiffers: Bool {
        hasRivalPayment || attempts.contains(where: \.moneyDiffers)
            || refunds.contains { $0.reports.amountsDiffer(for: .succeeded) }
            || reversals.contains { $0.reports.amountsDiffer(for: .succeeded) }
    }

    /// Whether a payment without a transaction id has an amount that fits neither one of the named
    /// paid attempts nor all of them together.
    private var hasRivalPayment: Bool {
        guard attempts.count > 1, attempts[0].transaction.isEmpty, attempts[0].captures.isEmpty,
            let claims = attempts[0].reports.claims(of: .paid)
        else { return false }
        let named = paidAttempts.filter { !$0.transaction.isEmpty }
        guard !named.isEmpty else { return false }
        let sums = named.flatMap { [$0.amount, $0.authorized] } + [named.total(of: \.amount)]
        return claims.all.contains { !sums.contains($0) }
    }

    /// Every amount of the attempts and operations that were reported with several amounts, in
    /// ascending order.
    private var claims: [Money] {
        var claims: Set<Money> = []
        func collect<Status>(_ reports: Reports<Status>) {
            for case let amounts? in reports.entries.map(\.amounts) where !amounts.isOneAmount {
                claims.formUnion(amounts.all)
            }
        }
        func collectAll<Status>(_ reports: Reports<Status>) {
            for report in reports.entries { claims.formUnion(report.amounts?.all ?? []) }
        }
        if hasRivalPayment {
            claims.formUnion(attempts[0].reports.claims(of: .paid)?.all ?? [])
            claims.formUnion(paidAttempts.compactMap(\.amount))
        }
        for attempt in attempts {
            collect(attempt.reports)
            if attempt.unconfirmedDiffers { collectAll(attempt.reports) }
            for capture in attempt.captures {
                collect(capture.reports)
                if unconfirmedDiffers(capture) { collectAll(capture.reports) }
            }
        }
        for refund in refunds { collect(refund.reports) }
        for reversal in reversals { collect(reversal.reports) }
        return claims.sorted()
    }
}
