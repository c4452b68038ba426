/// What an order is, by the rules (`Order+Rules.swift`).
package struct OrderSummary: Sendable, Equatable {
    package var status: OrderStatus
    /// What was paid, or while nothing is, what is to be paid by the provider's word; nil when
    /// unknown. Of several claims the least.
    package var amount: Money?
    /// What was set aside or taken at once; nil when nothing was.
    package var authorized: Money?
    /// What was taken: zero while nothing is, nil when no currency is known.
    package var captured: Money?
    /// What went back: zero when nothing did, nil when it or its currency is unknown.
    package var refunded: Money?
    /// The amounts that one thing was reported with, rising, where they differ.
    package var claims: [Money] = []
    /// The sums that may have gone back, rising, where the provider's words allow several.
    package var candidates: [Money] = []
    /// Why the payment failed, expired or was canceled, where the provider said so.
    package var reason: Reason?
    /// How it was paid, or is to be paid, in the provider's word: the least by bytes of those of
    /// the attempts that decide the status.
    package var method: String?
    /// The agreement of which these attempts are instalments; of several the least by bytes.
    package var agreement: String?
    /// Marked and derived flags, in the order in which `Flag` declares them.
    package var flags: [Flag]

    /// The decision table: the first row that fits is the status.
    static func status(
        needsReview: Bool, dispute: Dispute.Standing, payment: Payment?, refund: RefundTotal.Share
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
    /// What a full order is: nobody has added up all of it, so no sum is told.
    ///
    /// - Parameter flags: Those that came with notifications.
    package init(full flags: FlagSet, isUnjoined: Bool) {
        var flags = flags
        flags.insert(.unjoined, when: isUnjoined)
        self.init(status: .review, flags: flags.list)
    }
}

extension Dispute {
    /// What all disputes of an order amount to.
    enum Standing {
        /// There is none, or each was won or closed.
        case settled
        case open
        case lost

        /// | a dispute is | standing |
        /// |---|---|
        /// | `lost` | `lost` |
        /// | else one is `open` | `open` |
        /// | else | `settled` |
        static func of(_ statuses: some Sequence<DisputeStatus>) -> Standing {
            var standing = Standing.settled
            for status in statuses {
                if status == .lost { return .lost }
                if status == .open { standing = .open }
            }
            return standing
        }
    }
}

/// What an order is, derived from everything that was reported about it. Never stored as a fact.
package enum OrderStatus: String, Sendable, CaseIterable {
    case pending
    case authorized
    case paid
    case partiallyRefunded = "partially_refunded"
    case refunded
    case failed
    case canceled
    case expired
    case disputed
    case chargedBack = "charged_back"
    /// A human must look: what was reported does not add up, and none of the other words is safe.
    case review
}
