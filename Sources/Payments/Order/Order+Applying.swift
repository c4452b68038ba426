extension Order {
    /// Returns this order after `notification`: the whole effect of a notification, as a pure
    /// function.
    ///
    /// The caller has verified that the notification is authentic and belongs to this order (it
    /// names one of its references or ids). The same id with different content is applied too, so
    /// that both claims are kept; the caller then marks the order with ``markingConflict()``.
    ///
    /// ```swift
    /// let paid = Notification(
    ///     id: "1", kind: "payment", status: "paid", reference: "R-1", transaction: "T-1",
    ///     effect: .attempt(.paid, amount))
    /// Order().applying(paid).applying(paid).summary.captured  // amount: a repetition adds nothing
    /// ```
    public func applying(_ notification: Notification) -> Order {
        var order = self
        order.apply(notification)
        return order
    }

    /// Applies `notification` in place.
    ///
    /// | effect | adds |
    /// |---|---|
    /// | `none` | the notification's flags only |
    /// | `doubt` | the transaction that it names, so that it finds the order |
    /// | `attempt` | a report to the attempt that `transaction` names |
    /// | `capture` | a report to the capture with that id, of that attempt |
    /// | `refund`, `dispute`, `reversal` | a report to the one with that id, with its transaction |
    /// | `unclearRefund` | the claim |
    ///
    /// With the flag `unconfirmed`, a success is added as `unconfirmed`, and one of a capture as
    /// `pending`.
    ///
    /// Every effect except `none` also adds the notification's flags, its reference in the effect's
    /// role, and its alias.
    ///
    /// - Parameters:
    ///   - notification: Of this order: by its reference, or by an id that the order has.
    ///   - factsMax: Maximum number of facts; beyond it only the flag `too_many_events` is added.
    public mutating func apply(
        _ notification: Notification, factsMax: Int = Order.factsMaxDefault
    ) {
        if !notification.flags.isEmpty {
            let flags = FlagSet(notification.flags)
            markedFlags.formUnion(flags)
            if flags.intersects(.reviewing) { overruleResolution() }
        }
        if case .none = notification.effect { return }
        guard !isFull else { return overruleResolution() }
        guard factCount + Self.factsOfOne <= factsMax else { return markFull() }
        if let reference = notification.reference {
            references.join(OrderReference(reference, notification.effect.role))
        }
        if let alias = notification.alias { references.join(OrderReference(alias, .alias)) }
        if let sum = accepted(notification.refundedAtLeast) {
            refundedAtLeast = refundedAtLeast.map { max($0, sum) } ?? sum
        }
        if let id = notification.pointer { mentions.join(Mention(id: id)) }
        add(notification.countedEffect, of: notification)
    }

    /// Maximum number of facts that one notification adds: two references and two facts. (An
    /// operation that was reported for two transactions adds two mentions, but that is very rare.)
    package static let factsOfOne = 4

    private mutating func add(_ effect: Effect, of notification: Notification) {
        let amount = accepted(effect.amount)
        let reason = notification.reason
        switch effect {
        case .attempt(let status, _):
            var attempt = Attempt(transaction: notification.transaction ?? "")
            attempt.reports = Reports(status, amount, reason: reason)
            attempt.method = notification.method
            attempt.agreement = notification.agreement
            attempts.join(attempt)
        case .capture(let id, let status, _):
            var attempt = Attempt(transaction: notification.transaction ?? "")
            attempt.captures = [Capture(id: id, reports: Reports(status, amount, reason: reason))]
            attempt.method = notification.method
            attempt.agreement = notification.agreement
            attempts.join(attempt)
        case .refund(let id, let status, _):
            noteRivals(notification.transaction, refunds.named(id)?.transaction)
            refunds.join(
                Refund(
                    id: id, transaction: notification.transaction,
                    reports: Reports(status, amount, reason: reason),
                    total: amount == nil ? accepted(notification.refundedAtLeast) : nil))
        case .unclearRefund(let id, let status, var claim):
            claim.amount = amount
            claim.refunded = accepted(claim.refunded)
            unclearRefunds.join(UnclearRefund(id: id, status: status, claim: claim))
        case .dispute(let id, let status, _):
            noteRivals(notification.transaction, disputes.named(id)?.transaction)
            disputes.join(
                Dispute(
                    id: id, transaction: notification.transaction,
                    reports: Reports(status, amount, reason: reason)))
        case .reversal(let kind, let id, let status, _):
            noteRivals(notification.transaction, reversals.named(id)?.transaction)
            reversals.join(
                Reversal(
                    id: id, kind: kind, transaction: notification.transaction,
                    reports: Reports(status, amount, reason: reason)))
        case .doubt, .none:
            break
        }
    }

    /// Keeps both transactions of one operation as mentions if they differ, so that each finds the
    /// order. The operation itself keeps the lesser one.
    private mutating func noteRivals(_ left: String?, _ right: String?) {
        guard let left, let right, utf8Order(left, right) != 0 else { return }
        mentions.join(Mention(id: left))
        mentions.join(Mention(id: right))
    }

    /// Ignores a negative amount and flags it, which puts the order in `review`.
    private mutating func accepted(_ amount: Money?) -> Money? {
        guard let amount, amount.minor < 0 else { return amount }
        markedFlags.insert(.invalidAmount)
        overruleResolution()
        return nil
    }

    /// Marks the order as full, so that it takes no further facts: it has too many, or shares facts
    /// with an order that is full.
    package mutating func markFull() { markedFlags.insert(.tooManyEvents) }

    /// Returns this order marked as having received the same id with different content: it is in
    /// `review`.
    public func markingConflict() -> Order {
        var order = self
        order.markedFlags.insert(.conflict)
        order.overruleResolution()
        return order
    }

    /// Returns this order with the merchant's expectation, which replaces any earlier one. Earlier
    /// reports that contradict it take effect at once.
    ///
    /// ```swift
    /// order = order.registering(Expectation(amount: price), reference: "R-1")
    /// // A payment of any other sum is now `review`, with the flag `amount_unexpected`.
    /// ```
    public func registering(_ expectation: Expectation, reference: String? = nil) -> Order {
        var order = self
        order.expected = expectation
        if let reference { order.references.join(OrderReference(reference, .payment)) }
        return order
    }

    /// Returns the facts of both, where the other is a try of this order. Its tries are this one's.
    package func absorbing(_ other: Order) -> Order {
        var tried = other
        for index in tried.references.indices where tried.references[index].role == .order {
            tried.references[index].role = .payment
        }
        return merging(tried)
    }

    /// Returns the facts of both, as if one order had received every notification of either.
    /// Commutative, associative and idempotent.
    ///
    /// Used when a notification shows that several references and provider ids belong together. Of
    /// two expectations the lesser is kept.
    ///
    /// ```swift
    /// // A refund that named only its payment's id came before the payment.
    /// let whole = early.merging(order)
    /// ```
    public func merging(_ other: Order) -> Order {
        var order = self
        if hasRareFacts || other.hasRareFacts { order.mergeRareFacts(of: other) }
        order.references.join(contentsOf: other.references)
        order.attempts.join(contentsOf: other.attempts)
        order.markedFlags.formUnion(other.markedFlags)
        if let expectation = other.expected {
            order.expected = expected.map { min($0, expectation) } ?? expectation
        }
        return order
    }

    private mutating func mergeRareFacts(of other: Order) {
        resolution = mergedResolution(other)
        for refund in other.refunds {
            noteRivals(refund.transaction, refunds.named(refund.id)?.transaction)
        }
        for dispute in other.disputes {
            noteRivals(dispute.transaction, disputes.named(dispute.id)?.transaction)
        }
        for reversal in other.reversals {
            noteRivals(reversal.transaction, reversals.named(reversal.id)?.transaction)
        }
        refunds.join(contentsOf: other.refunds)
        for refund in other.unclearRefunds { unclearRefunds.join(refund) }
        disputes.join(contentsOf: other.disputes)
        reversals.join(contentsOf: other.reversals)
        mentions.join(contentsOf: other.mentions)
        if let sum = other.refundedAtLeast {
            refundedAtLeast = refundedAtLeast.map { max($0, sum) } ?? sum
        }
    }
}

extension Notification {
    /// The effect on an order, in which an unconfirmed success is none yet.
    fileprivate var countedEffect: Effect {
        guard reportsSuccess, flags.contains(.unconfirmed) else { return effect }
        return switch effect {
        case .attempt(_, let amount): .attempt(.unconfirmed, amount)
        case .capture(let id, _, let amount): .capture(id: id, .pending, amount)
        default: effect
        }
    }

    /// The id to remember as a mention because no fact refers to it: the transaction of a doubt or
    /// an unclear refund, or the operation's own id if the notification names nothing else.
    fileprivate var pointer: String? {
        switch effect {
        case .doubt, .unclearRefund: transaction
        case .capture(let id, _, _), .refund(let id, _, _), .dispute(let id, _, _),
            .reversal(_, let id, _, _):
            reference == nil && transaction == nil ? id : nil
        case .attempt, .none: nil
        }
    }
}
