/// A person's proposal for an order in `review`.
package enum SettlementProposal: Sendable, Equatable {
    /// Accept the shown values: of several claims the least, and the status that follows.
    case accept
    /// Set a status and sums; a sum that is nil is the shown one.
    case settle(OrderStatus, captured: Money?, refunded: Money?)
}

/// Reason for rejecting a proposal.
package enum SettlementRefusal: String, Error, Sendable, CaseIterable {
    /// The order is not in `review`.
    case notInReview = "not_in_review"
    /// The order is full: its sums are unknown, so the shown values cannot be accepted.
    case orderFull = "order_full"
    /// The status needs a sum that is unknown and was not given.
    case sumsUnknown = "sums_unknown"
    /// The sums must be in one currency, one of the order's.
    case currencyDiffers = "currency_differs"
    /// A sum is negative or greater than any that was reported, or more is refunded than captured.
    case sumsOutOfBounds = "sums_out_of_bounds"
    /// The sums do not fit the status.
    case statusDiffers = "status_differs"
}

extension Order {
    /// Returns the settlement that a proposal results in; throws if it is impossible for this
    /// order.
    ///
    /// | status | captured | refunded |
    /// |---|---|---|
    /// | `paid` | 0 or more | 0 |
    /// | `partially_refunded` | more than 0 | more than 0, less than captured |
    /// | `refunded` | more than 0 | all of it |
    /// | `disputed`, `charged_back` | 0 or more | at most the captured sum |
    /// | any other | 0 | 0 |
    ///
    /// The captured sum is at most the greatest sum that was reported for the order or is expected.
    /// If none was, or the order is full, the person's sum is not checked.
    ///
    /// ```swift
    /// let settlement = try order.settlement(.settle(.paid, captured: amount, refunded: nil))
    /// ```
    package func settlement(
        _ proposal: SettlementProposal
    ) throws(SettlementRefusal) -> Settlement {
        guard factualSummary.status == .review else { throw .notInReview }
        let shown = isFull ? OrderSummary(status: .review, flags: []) : acceptedSummary
        var settlement: Settlement
        switch proposal {
        case .accept:
            // A full order has no sums to accept.
            guard !isFull else { throw .orderFull }
            settlement = Settlement(
                status: shown.status, captured: shown.captured, refunded: shown.refunded)
        case .settle(let status, let captured, let refunded):
            guard status != .review else { throw .statusDiffers }
            settlement = Settlement(
                status: status, captured: captured ?? shown.captured,
                refunded: refunded ?? shown.refunded)
        }
        try complete(&settlement)
        try check(settlement)
        return settlement
    }

    /// Fills in sums that must be zero; throws if the status needs a sum that is missing.
    private func complete(_ settlement: inout Settlement) throws(SettlementRefusal) {
        if settlement.status.isPaidFor {
            guard settlement.captured != nil, settlement.refunded != nil else {
                throw .sumsUnknown
            }
            return
        }
        let zero = (settlement.captured ?? settlement.refunded ?? reportedAmounts.first)
            .map { Money(minor: 0, currency: $0.currency) }
        settlement.captured = settlement.captured ?? zero
        settlement.refunded = settlement.refunded ?? zero
    }

    private func check(_ settlement: Settlement) throws(SettlementRefusal) {
        let currencies = Set(reportedAmounts.map(\.currency))
        for case let sum? in [settlement.captured, settlement.refunded] {
            guard isFull || currencies.isEmpty || currencies.contains(sum.currency) else {
                throw .currencyDiffers
            }
        }
        guard settlement.captured?.currency == settlement.refunded?.currency else {
            throw .currencyDiffers
        }
        let (captured, refunded) = (
            settlement.captured?.minor ?? 0, settlement.refunded?.minor ?? 0
        )
        guard captured >= 0, refunded >= 0 else { throw .sumsOutOfBounds }
        if !isFull, let currency = settlement.captured?.currency,
            let most = greatestCapture(in: currency)
        {
            guard captured <= most else { throw .sumsOutOfBounds }
        }
        let isTrue =
            switch settlement.status {
            case .paid: refunded == 0
            case .partiallyRefunded: refunded > 0 && refunded < captured
            case .refunded: captured > 0 && refunded == captured
            case .disputed, .chargedBack: refunded <= captured
            case .pending, .authorized, .failed, .canceled, .expired:
                captured == 0 && refunded == 0
            case .review: false
            }
        guard refunded <= captured else { throw .sumsOutOfBounds }
        guard isTrue else { throw .statusDiffers }
    }

    /// Every reported or expected amount of this order, except those of disputes, which may be in
    /// another currency.
    private var reportedAmounts: [Money] {
        var amounts = attempts.flatMap { $0.reports.allAmounts }
        amounts += attempts.flatMap { $0.captures.flatMap { $0.reports.allAmounts } }
        amounts += refunds.flatMap { $0.reports.allAmounts }
        amounts += unclearRefunds.flatMap {
            [$0.claim.amount, $0.claim.refunded].compactMap(\.self)
        }
        amounts += reversals.filter { $0.kind != .dispute }.flatMap { $0.reports.allAmounts }
        return amounts + [expected?.amount, refundedAtLeast].compactMap(\.self)
    }

    /// The greatest sum that may have been captured according to the reports and the expectation;
    /// nil if there is none.
    private func greatestCapture(in currency: Currency) -> Int64? {
        func greatest(_ amounts: [Money]) -> Int64? {
            amounts.filter { $0.currency == currency }.map(\.minor).max()
        }
        var sum: Int64?
        for attempt in attempts {
            let captures = attempt.captures.compactMap { greatest($0.reports.allAmounts) }
            let captured = captures.isEmpty ? nil : captures.reduce(Int64(0)) { $0.adding($1) }
            guard
                let most = [greatest(attempt.reports.allAmounts), captured]
                    .compactMap(\.self).max()
            else { continue }
            sum = (sum ?? 0).adding(most)
        }
        let expected = expected.flatMap { greatest([$0.amount]) }
        return [sum, expected].compactMap(\.self).max()
    }

    /// Whether a provider has reported a payment, capture, refund, dispute or reversal. From then
    /// on the merchant's expectation cannot be changed.
    package var hasMovedMoney: Bool {
        attempts.contains { attempt in
            attempt.reports.contains(.paid)
                || attempt.captures.contains { $0.reports.contains(.succeeded) }
        } || !refunds.isEmpty || !unclearRefunds.isEmpty || !disputes.isEmpty
            || reversals.contains { !$0.kind.isRaise } || refundedAtLeast != nil
    }
}

extension Reports {
    /// Every reported amount, for any status.
    fileprivate var allAmounts: [Money] { entries.flatMap { $0.amounts?.all ?? [] } }
}
