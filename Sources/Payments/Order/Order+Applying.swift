extension Order {
    /// This order after `notification`: the whole effect of a notification, in one pure function.
    ///
    /// The caller has seen to it that the notification is genuine and that it belongs here (it
    /// names one of these references or ids). The same identity with other content is applied, too,
    /// so that both claims are kept; the caller then marks the order with `markingConflict()`.
    package func applying(_ notification: Notification) -> Order {
        var order = self
        order.apply(notification)
        return order
    }

    /// As `applying(_:)`, in place.
    ///
    /// | effect | what is added |
    /// |---|---|
    /// | `none` | the notification's flags only |
    /// | `doubt` | the transaction that it names, so that it is found |
    /// | `attempt` | a report to the attempt that `transaction` names |
    /// | `capture` | a report to the capture with that id, of that attempt |
    /// | `refund`, `dispute`, `reversal` | a report to the one with that id, and its transaction |
    /// | `unclearRefund` | the claim |
    ///
    /// and with every effect but `none` the notification's flags, its reference in the role that
    /// the effect gives it, and its alias.
    ///
    /// - Parameter factsMax: Beyond this many facts only the flag `too_many_events` is added.
    package mutating func apply(
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
        add(notification.effect, of: notification)
    }

    /// A notification adds two references and two facts at most. (A fact that was told of two
    /// transactions adds two mentions; that is as rare as it sounds.)
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
                    reports: Reports(status, amount, reason: reason)))
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

    /// One operation that was told of two transactions keeps the lesser; both lead to the order.
    private mutating func noteRivals(_ left: String?, _ right: String?) {
        guard let left, let right, utf8Order(left, right) != 0 else { return }
        mentions.join(Mention(id: left))
        mentions.join(Mention(id: right))
    }

    /// A negative amount is set aside, and the flag puts the order in `review`.
    private mutating func accepted(_ amount: Money?) -> Money? {
        guard let amount, amount.minor < 0 else { return amount }
        markedFlags.insert(.invalidAmount)
        overruleResolution()
        return nil
    }

    /// From now on the order takes no further facts: there are too many, or some of them are held
    /// by an order that is full.
    package mutating func markFull() { markedFlags.insert(.tooManyEvents) }

    /// This order after the same identity came with other content: the order is in `review`.
    package func markingConflict() -> Order {
        var order = self
        order.markedFlags.insert(.conflict)
        order.overruleResolution()
        return order
    }

    /// This order with what the merchant expects. The last word of the merchant counts; what was
    /// reported before it and contradicts it shows at once.
    package func registering(_ expectation: Expectation, reference: String? = nil) -> Order {
        var order = self
        order.expected = expectation
        if let reference { order.references.join(OrderReference(reference, .payment)) }
        return order
    }

    /// The facts of both, as when every notification of either had come to one order. Commutative,
    /// associative and idempotent.
    ///
    /// It joins what is known under several references and provider ids once a notification says
    /// that they belong together. Of two expectations the lesser is kept.
    package func merging(_ other: Order) -> Order {
        var order = self
        order.resolution = mergedResolution(other)
        order.references.join(contentsOf: other.references)
        order.attempts.join(contentsOf: other.attempts)
        for refund in other.refunds {
            order.noteRivals(refund.transaction, refunds.named(refund.id)?.transaction)
        }
        for dispute in other.disputes {
            order.noteRivals(dispute.transaction, disputes.named(dispute.id)?.transaction)
        }
        for reversal in other.reversals {
            order.noteRivals(reversal.transaction, reversals.named(reversal.id)?.transaction)
        }
        order.refunds.join(contentsOf: other.refunds)
        for refund in other.unclearRefunds { order.unclearRefunds.join(refund) }
        order.disputes.join(contentsOf: other.disputes)
        order.reversals.join(contentsOf: other.reversals)
        order.mentions.join(contentsOf: other.mentions)
        if let sum = other.refundedAtLeast {
            order.refundedAtLeast = refundedAtLeast.map { max($0, sum) } ?? sum
        }
        order.markedFlags.formUnion(other.markedFlags)
        if let expectation = other.expected {
            order.expected = expected.map { min($0, expectation) } ?? expectation
        }
        return order
    }
}

extension Notification {
    /// The id by which alone its order is known, where no fact refers to it: what a doubt names, or
    /// the operation's own where it names nothing else.
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
