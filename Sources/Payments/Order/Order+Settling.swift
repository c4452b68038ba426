/// What a person proposes for an order in `review`.
package enum SettlementProposal: Sendable, Equatable {
    /// What the order shows: of several claims the least, and the status that follows.
    case accept
    /// A status, and sums; those that are nil are what the order shows.
    case settle(OrderStatus, captured: Money?, refunded: Money?)
}

/// Why a proposal is not taken.
package enum SettlementRefusal: String, Error, Sendable, CaseIterable {
    /// Nothing has to be resolved.
    case notInReview = "not_in_review"
    /// Nobody has added up all of the order's facts, so nobody would see a further one.
    case orderFull = "order_full"
    /// A sum that the status needs is not known: say it.
    case sumsUnknown = "sums_unknown"
    /// A sum in a currency in which nothing of this order was told, or two currencies.
    case currencyDiffers = "currency_differs"
    /// More than anybody has ever told, less than zero, or more given back than taken.
    case sumsOutOfBounds = "sums_out_of_bounds"
    /// The sums are not those of this status.
    case statusDiffers = "status_differs"
}

extension Order {
    /// What a proposal comes to; throws where it cannot be true of this order.
    ///
    /// | status | taken | given back |
    /// |---|---|---|
    /// | `paid` | 0 or more | 0 |
    /// | `partially_refunded` | more than 0 | more than 0, less than was taken |
    /// | `refunded` | more than 0 | all of it |
    /// | `disputed`, `charged_back` | 0 or more | at most what was taken |
    /// | any other | 0 | 0 |
    ///
    /// No more was taken than the greatest sum that was ever told of the order, or is expected;
    /// where nobody told any, the person's word stands alone. So it does of a full order, of which
    /// nobody has added up everything.
    package func settlement(
        _ proposal: SettlementProposal
    ) throws(SettlementRefusal) -> Settlement {
        guard factualSummary.status == .review else { throw .notInReview }
        let shown = isFull ? OrderSummary(status: .review, flags: []) : acceptedSummary
        var settlement: Settlement
        switch proposal {
        case .accept:
            // It shows no sums that could be accepted.
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

    /// A sum that is zero whatever the currency need not be said.
    private func complete(_ settlement: inout Settlement) throws(SettlementRefusal) {
        if settlement.status.isPaidFor {
            guard settlement.captured != nil, settlement.refunded != nil else {
                throw .sumsUnknown
            }
            return
        }
        let zero = (settlement.captured ?? settlement.refunded ?? toldAmounts.first)
            .map { Money(minor: 0, currency: $0.currency) }
        settlement.captured = settlement.captured ?? zero
        settlement.refunded = settlement.refunded ?? zero
    }

    private func check(_ settlement: Settlement) throws(SettlementRefusal) {
        let currencies = Set(toldAmounts.map(\.currency))
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
            let most = mostTold(in: currency)
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

    /// Every amount that was told of money of this order, but of disputes, which may be told in
    /// another currency.
    private var toldAmounts: [Money] {
        var amounts = attempts.flatMap { $0.reports.allAmounts }
        amounts += attempts.flatMap { $0.captures.flatMap { $0.reports.allAmounts } }
        amounts += refunds.flatMap { $0.reports.allAmounts }
        amounts += unclearRefunds.flatMap {
            [$0.claim.amount, $0.claim.refunded].compactMap(\.self)
        }
        amounts += reversals.filter { $0.kind != .dispute }.flatMap { $0.reports.allAmounts }
        return amounts + [expected?.amount, refundedAtLeast].compactMap(\.self)
    }

    /// The most that can have been taken by anybody's word; nil where nobody told.
    private func mostTold(in currency: Currency) -> Int64? {
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

    /// Whether a provider has said that something was paid, taken or given back. After it the
    /// merchant's expectation stands.
    package var hasMovedMoney: Bool {
        attempts.contains { attempt in
            attempt.reports.contains(.paid)
                || attempt.captures.contains { $0.reports.contains(.succeeded) }
        } || !refunds.isEmpty || !unclearRefunds.isEmpty || !disputes.isEmpty
            || reversals.contains { !$0.kind.isRaise } || refundedAtLeast != nil
    }
}

extension Reports {
    /// Every amount that was reported, of whatever status.
    fileprivate var allAmounts: [Money] { entries.flatMap { $0.amounts?.all ?? [] } }
}
