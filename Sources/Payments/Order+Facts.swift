/// The questions that the rules ask of the facts.
extension Order {
    /// The attempts that took money. What came without a transaction id counts only where no named
    /// attempt is paid: it may well be the same payment.
    var paidAttempts: [Attempt] {
        // Nearly every order has one attempt; no array is made for it.
        if attempts.count == 1 { return attempts[0].status == .paid ? attempts : [] }
        let paid = attempts.filter { $0.status == .paid }
        let named = paid.filter { !$0.transaction.isEmpty }
        return named.isEmpty ? paid : named
    }

    /// While nothing is paid: the greatest amount among the attempts that decide `payment`.
    func undecidedAmount(of payment: Payment?) -> Money? {
        guard let status = payment?.attempt else { return nil }
        return attempts.lazy.filter { $0.status == status }.compactMap(\.amount).max()
    }

    /// The successful refunds in `currency`, or in the currency of the first when it is nil.
    func refundTotal(in currency: Currency?) -> RefundTotal {
        var total = RefundTotal(sum: currency.map { Money(minor: 0, currency: $0) })
        if refunds.isEmpty { return total }
        let succeeded = refunds.filter { $0.status == .succeeded }
        total.hasUnknownAmount = succeeded.contains { $0.amount == nil }
        if let currency {
            total.sum?.minor =
                succeeded.filter { $0.amount?.currency == currency }.total(of: \.amount)?.minor ?? 0
        } else {
            total.sum = succeeded.total(of: \.amount)
        }
        return total
    }

    var disputeStanding: Dispute.Standing {
        Dispute.Standing.of(disputes.lazy.compactMap(\.status))
    }

    /// True when the merchant registered an amount and an attempt names another, in value or
    /// currency.
    package var contradictsExpectation: Bool {
        guard let expected = expected?.amount else { return false }
        return attempts.contains { attempt in
            guard attempt.reports.amountsAreAll(expected) else { return true }
            guard attempt.isPaidByCaptures, let captured = attempt.amount else { return false }
            return captured != expected
        }
    }

    /// True when this notification by itself contradicts what the merchant registered: an attempt
    /// with another amount or currency, or a capture in another currency or of more.
    package func contradicts(_ notification: Notification) -> Bool {
        guard let expected = expected?.amount else { return false }
        return switch notification.effect {
        case .attempt(_, let amount?): amount != expected
        case .capture(_, .succeeded, let amount?):
            amount.currency != expected.currency || amount.minor > expected.minor
        default: false
        }
    }

    /// Something was reported as succeeded and as failed, or a dispute as won and as lost.
    var isContradicted: Bool {
        attempts.contains(where: \.isContradicted)
            || refunds.contains { $0.reports.isContradicted }
            || disputes.contains { $0.reports.contains(.won) && $0.reports.contains(.lost) }
    }

    /// | told in more than one currency | mismatch |
    /// |---|---|
    /// | the reports of one attempt and those of its captures that did not fail | yes |
    /// | two paid attempts | yes: they cannot be added |
    /// | the order's amount and a refund that did not fail | yes |
    /// | two attempts of which one is not paid | no: the customer may choose another currency |
    /// | a dispute | no: providers tell it in the currency of settlement |
    func hasCurrencyMismatch(amount: Money?, paid: [Attempt]) -> Bool {
        let withinAttempt = attempts.contains { attempt in
            guard let currency = attempt.amount?.currency else { return false }
            return !attempt.isAll(in: currency)
        }
        guard !withinAttempt, let currency = amount?.currency else { return withinAttempt }
        return paid.contains { $0.amount.map { $0.currency != currency } ?? false }
            || refunds.contains {
                $0.status != .failed && !$0.reports.amountsAreAll(in: currency)
            }
    }

    var amountsDiffer: Bool {
        attempts.contains(where: \.amountsDiffer) || refunds.contains { $0.reports.amountsDiffer }
            || disputes.contains { $0.reports.amountsDiffer }
    }
}
