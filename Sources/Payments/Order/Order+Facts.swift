/// The questions that the rules ask of the facts.
extension Order {
    /// The attempts that took money. What came without a transaction id counts only where no named
    /// attempt is paid: it may well be the same payment. A capture that no named attempt has is
    /// money of its own.
    var paidAttempts: [Attempt] {
        // Nearly every order has one attempt; no array is made for it.
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

    /// While nothing is paid: the greatest amount among the attempts that decide `payment`.
    func undecidedAmount(of payment: Payment?, _ statuses: [AttemptStatus?]) -> Money? {
        guard let status = payment?.attempt else { return nil }
        return zip(attempts, statuses).lazy.filter { $1 == status }.compactMap(\.0.amount).max()
    }

    /// What is set aside or taken: of the attempts that are authorised or paid; where there is
    /// none, the greatest that ever was.
    /// Sums of one order are in one currency: that of its amount.
    func authorizedSum(
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
            // Told without a transaction id: perhaps one of those that are named.
            let named = live.filter { !attempts[$0].transaction.isEmpty }
            return (named.isEmpty ? live : named)
                .filter { isIt(undone.authorized(of: attempts[$0], at: $0)) }
                .total { undone.authorized(of: attempts[$0], at: $0) }
        }
        return attempts.lazy.compactMap(\.authorized).filter(isIt).max()
    }

    /// True when less was taken of a paid attempt than had been authorised, or by captures less
    /// than is expected.
    func isPartlyCaptured(_ attempt: Attempt, _ undone: UndoneOperations) -> Bool {
        guard let amount = attempt.amount else { return false }
        return [
            authorized(by: attempt, undone), attempt.isPaidByCaptures ? expected?.amount : nil,
        ].contains { $0.map { amount.isLess(than: $0) } ?? false }
    }

    /// True when more was captured of an attempt than had been authorised.
    func isOverCaptured(_ attempt: Attempt, _ undone: UndoneOperations) -> Bool {
        guard attempt.isPaidByCaptures, let amount = attempt.amount else { return false }
        return authorized(by: attempt, undone)?.isLess(than: amount) ?? false
    }

    /// Two payments where one was wanted.
    ///
    /// | the paid attempts | twice |
    /// |---|---|
    /// | two that are no instalments | yes |
    /// | instalments of two agreements | yes |
    /// | instalments of one agreement, and one other: the first payment, which began it | no |
    func isPaidTwice(_ paid: [Attempt]) -> Bool {
        guard paid.count > 1 else { return false }
        let named = paid.filter { !$0.transaction.isEmpty }
        let agreements = Set(named.compactMap(\.agreement).map { ExactText($0) })
        return named.count { $0.agreement == nil } > 1 || agreements.count > 1
    }

    func disputeStanding(_ undone: UndoneOperations) -> Dispute.Standing {
        if disputes.isEmpty { return .settled }
        return Dispute.Standing.of(
            disputes.indices.lazy.compactMap { undone.status(of: disputes[$0], at: $0) })
    }

    /// True when the merchant registered an amount, and something else was set aside or taken.
    package var contradictsExpectation: Bool {
        guard expected != nil else { return false }
        let places = CapturePlaces(self)
        return places.order.contradictsExpected(
            UndoneOperations(places.order, areCapturesLoose: places.areLoose))
    }

    /// As `contradictsExpectation`, of an order whose captures are where they belong.
    ///
    /// | something is | compared with what is expected |
    /// |---|---|
    /// | taken at once | every amount that it was reported with; a part that says so may be less |
    /// | taken by captures | their sum: more contradicts; less does where no more can be captured |
    /// | only set aside | every amount that it was reported with; of a raised one the last |
    /// | none of these | nothing: a try that came to nothing, or is under way, moved no money |
    func contradictsExpected(_ undone: UndoneOperations) -> Bool {
        guard let expected = expected?.amount else { return false }
        let paid = paidAttempts
        guard paid.isEmpty else {
            return paid.contains { attempt in
                guard attempt.isPaidByCaptures else {
                    let told =
                        attempt.reports.claims(of: .paid)?.all ?? [attempt.amount ?? expected]
                    // A charge that says of itself that it was captured in part (Citcon UPI).
                    let isPart = markedFlags.contains(.partiallyCaptured)
                    return told.contains {
                        $0 != expected && !(isPart && $0.isLess(than: expected))
                    }
                }
                guard let captured = attempt.amount, captured != expected else { return false }
                guard captured.isLess(than: expected) else { return true }
                // Less than what is expected was set aside: no capture mends that.
                guard let authorized = authorized(by: attempt, undone),
                    authorized != captured || attempt.tellsAuthorized
                else { return false }
                return authorized.isLess(than: expected)
            }
        }
        return attempts.indices.contains { place in
            guard undone.status(of: attempts[place], at: place) == .authorized else { return false }
            let told =
                undone.isRaised(at: place)
                ? [undone.raised(attempts[place], at: place) ?? expected]
                : attempts[place].reports.claims(of: .authorized)?.all
                    ?? attempts[place].reports.claims(of: .paid)?.all ?? []
            return told.contains { $0 != expected }
        }
    }

    /// Something was reported as succeeded and as failed, or a dispute as won and as lost.
    ///
    /// - Parameter isWhollyRefunded: All that was taken went back: that is how a payment was
    ///   canceled after it was paid.
    func isContradicted(_ undone: UndoneOperations, isWhollyRefunded: Bool) -> Bool {
        attempts.indices.contains {
            // Reports without an id may be of several tries, where other reports name theirs.
            (attempts.count == 1 || !attempts[$0].transaction.isEmpty)
                && attempts[$0].isContradicted(
                    isUndone: isWhollyRefunded || undone.isWhollyUndone(at: $0))
        }
            || refunds.contains { $0.reports.isContradicted }
            || reversals.contains { $0.reports.isContradicted }
            || hasContradictedClaim
            || disputes.contains { $0.reports.contains(.won) && $0.reports.contains(.lost) }
    }

    /// A refund that is told by claims succeeded and failed. Under a payment's id only the same
    /// claim is the same refund; any other id is the refund's own.
    private var hasContradictedClaim: Bool {
        unclearRefunds.contains(where: \.isContradicted)
            || unclearRefunds.contradictedIDs.contains { attempts.index(id: $0) == nil }
    }

    /// | told in more than one currency | mismatch |
    /// |---|---|
    /// | one attempt's reports, but of ends unpaid, and its captures that did not fail | yes |
    /// | two paid attempts | yes: they cannot be added |
    /// | the order's amount and a refund or reversal that did not fail | yes |
    /// | two attempts of which one is not paid | no: the customer may choose another currency |
    /// | a dispute | no: providers tell it in the currency of settlement |
    func hasCurrencyMismatch(amount: Money?, paid: [Attempt]) -> Bool {
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

    var amountsDiffer: Bool {
        hasRivalPayment || attempts.contains(where: \.amountsDiffer)
            || refunds.contains { $0.reports.amountsDiffer }
            || disputes.contains { $0.reports.amountsDiffer }
            || reversals.contains { $0.reports.amountsDiffer }
    }

    /// True when the amounts differ that say how much was taken or went back.
    var moneyDiffers: Bool {
        hasRivalPayment || attempts.contains(where: \.moneyDiffers)
            || refunds.contains { $0.reports.amountsDiffer(for: .succeeded) }
            || reversals.contains { $0.reports.amountsDiffer(for: .succeeded) }
    }

    /// What was reported paid without a transaction id is taken for one of the named attempts that
    /// are paid, or for all of them. True when it is the amount of neither.
    private var hasRivalPayment: Bool {
        guard attempts.count > 1, attempts[0].transaction.isEmpty, attempts[0].captures.isEmpty,
            let told = attempts[0].reports.claims(of: .paid)
        else { return false }
        let named = paidAttempts.filter { !$0.transaction.isEmpty }
        guard !named.isEmpty else { return false }
        let sums = named.flatMap { [$0.amount, $0.authorized] } + [named.total(of: \.amount)]
        return told.all.contains { !sums.contains($0) }
    }

    /// Every amount that one thing was reported with, where it was reported with several.
    var claims: [Money] {
        var claims: Set<Money> = []
        func collect<Status>(_ reports: Reports<Status>) {
            for case let amounts? in reports.entries.map(\.amounts) where !amounts.isOneAmount {
                claims.formUnion(amounts.all)
            }
        }
        if hasRivalPayment {
            claims.formUnion(attempts[0].reports.claims(of: .paid)?.all ?? [])
            claims.formUnion(paidAttempts.compactMap(\.amount))
        }
        for attempt in attempts {
            collect(attempt.reports)
            for capture in attempt.captures { collect(capture.reports) }
        }
        for refund in refunds { collect(refund.reports) }
        for reversal in reversals { collect(reversal.reports) }
        return claims.sorted()
    }
}
