/// The status, sums and flags of an order, derived by the rules (`Order+Rules.swift`).
public struct OrderSummary: Sendable, Equatable {
    /// The status that the facts result in.
    public var status: OrderStatus
    /// The paid amount, or the amount to be paid while nothing is; nil if unknown. Of several
    /// claims the least.
    public var amount: Money?
    /// The authorised sum; nil if nothing was authorised or captured.
    public var authorized: Money?
    /// The captured sum: zero while nothing is captured, nil if no currency is known.
    public var captured: Money?
    /// The refunded sum: zero if nothing was refunded, nil if it or its currency is unknown.
    public var refunded: Money?
    /// The different amounts that were reported for the same operation, in ascending order.
    public var claims: [Money] = []
    /// The possible refunded sums in ascending order, if the provider's reports allow several.
    public var candidates: [Money] = []
    /// Why the payment failed, expired or was canceled, if the provider reported a reason.
    public var reason: Reason?
    /// Payment method in the provider's word: the least by bytes among the attempts that decide the
    /// status.
    public var method: String?
    /// The agreement that these attempts are instalments of; of several the least by bytes.
    public var agreement: String?
    /// Marked and derived flags, in the order in which `Flag` declares them.
    public var flags: [Flag]

    /// The decision table of the status: the first matching row applies.
    static func status(
        needsReview: Bool, dispute: Dispute.Outcome, payment: Payment?, refund: RefundTotal.Share
    ) -> OrderStatus {
        switch (needsReview, dispute, payment, refund) {
        case (true, _, _, _): .review
        case (_, .lost, _, _): .chargedBack
        case (_, .open, _, _): .disputed
        case (_, _, .paid, .whole): .refunded
        case (_, _, .paid, .part): .partiallyRefunded
        case (_, _, .paid, .nothing): .paid
        case (_, _, .authorized, _): .authorized
        case (_, _, .pending, _): .pending
        case (_, _, .failed, _): .failed
        case (_, _, .canceled, _): .canceled
        case (_, _, .expired, _): .expired
        case (_, _, nil, _): .pending
        }
    }
}

extension OrderSummary {
    /// Creates the summary of a full order, which has no sums because its facts are incomplete.
    ///
    /// - Parameter flags: The flags that came with notifications.
    package init(full flags: FlagSet, isUnjoined: Bool) {
        var flags = flags
        flags.insert(.unjoined, when: isUnjoined)
        self.init(status: .review, flags: flags.list)
    }
}

extension Dispute {
    /// The combined state of all disputes of an order.
    enum Outcome {
        /// No dispute, or each was won or closed.
        case settled
        case open
        case lost

        /// | a dispute is | outcome |
        /// |---|---|
        /// | `lost` | `lost` |
        /// | else one is `open` | `open` |
        /// | else | `settled` |
        static func of(_ statuses: some Sequence<DisputeStatus>) -> Outcome {
            var outcome = Outcome.settled
            for status in statuses {
                if status == .lost { return .lost }
                if status == .open { outcome = .open }
            }
            return outcome
        }
    }
}

/// The status of an order, derived from its facts and never stored as one.
public enum OrderStatus: String, Sendable, CaseIterable {
    /// Nothing is paid, and the customer may still pay.
    case pending
    /// The money is reserved and not yet captured.
    case authorized
    /// The money was captured, and nothing was returned.
    case paid
    /// A part of the captured money was returned.
    case partiallyRefunded = "partially_refunded"
    /// All captured money was returned.
    case refunded
    /// The last open attempt failed.
    case failed
    /// The payment was canceled.
    case canceled
    /// The time for paying is over.
    case expired
    /// The customer disputes the payment.
    case disputed
    /// A dispute was lost: the money went back.
    case chargedBack = "charged_back"
    /// A person must decide: the reports are contradictory or unclear, so no other status is safe.
    case review
}
