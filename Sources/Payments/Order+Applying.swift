extension Order {
    /// This order after `notification`: the whole effect of a notification, in one pure function.
    ///
    /// The caller has seen to it that the notification is genuine, that it belongs here (it names
    /// this reference or one of these transactions) and that its identity is new: see
    /// `Notification.contentFingerprint` for the same identity with other content.
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
    /// | `attempt` | a report to the attempt that `transaction` names |
    /// | `capture` | a report to the capture with that id, of that attempt |
    /// | `refund`, `dispute` | a report to the one with that id, and its transaction |
    ///
    /// and with every effect but `none` the reference, when the notification names it and the order
    /// has none, and the transaction as an attempt of which nothing is reported yet.
    package mutating func apply(_ notification: Notification) {
        if !notification.flags.isEmpty { markedFlags.formUnion(FlagSet(notification.flags)) }
        if case .none = notification.effect { return }
        if reference == nil { reference = notification.reference }

        let amount = accepted(notification.effect.amount)
        switch notification.effect {
        case .attempt(let status, _):
            var attempt = Attempt(transaction: notification.transaction ?? "")
            attempt.reports = Reports(status, amount)
            attempts.join(attempt)
        case .capture(let id, let status, _):
            var attempt = Attempt(transaction: notification.transaction ?? "")
            attempt.captures = [Capture(id: id, reports: Reports(status, amount))]
            attempts.join(attempt)
        case .refund(let id, let status, _):
            noteTransaction(of: notification)
            refunds.join(
                Refund(
                    id: id, transaction: notification.transaction,
                    reports: Reports(status, amount)))
        case .dispute(let id, let status, _):
            noteTransaction(of: notification)
            disputes.join(
                Dispute(
                    id: id, transaction: notification.transaction,
                    reports: Reports(status, amount)))
        case .none:
            break
        }
    }

    /// An amount below zero is no amount: it is set aside, and the flag puts the order in `review`.
    private mutating func accepted(_ amount: Money?) -> Money? {
        guard let amount, amount.minor < 0 else { return amount }
        markedFlags.insert(.invalidAmount)
        return nil
    }

    private mutating func noteTransaction(of notification: Notification) {
        guard let transaction = notification.transaction else { return }
        attempts.join(Attempt(transaction: transaction))
    }

    /// This order after the same identity came with other content: the first stands, the order is
    /// flagged.
    package func markingConflict() -> Order {
        var order = self
        order.markedFlags.insert(.conflict)
        return order
    }

    /// This order with what the merchant expects. The last word of the merchant counts; what was
    /// reported before it and contradicts it shows at once.
    package func registering(_ expectation: Expectation) -> Order {
        var order = self
        order.expected = expectation
        return order
    }

    /// The facts of both, as when every notification of either had come to one order. Commutative,
    /// associative and idempotent.
    ///
    /// It joins what is known under a transaction to the order that a payment names. Of two
    /// references, or two expectations, the lesser is kept: the caller does not merge orders of
    /// different references.
    package func merging(_ other: Order) -> Order {
        var order = self
        order.reference = lesser(reference, other.reference)
        order.attempts.join(contentsOf: other.attempts)
        order.refunds.join(contentsOf: other.refunds)
        order.disputes.join(contentsOf: other.disputes)
        order.markedFlags.formUnion(other.markedFlags)
        if let expectation = other.expected {
            order.expected = expected.map { min($0, expectation) } ?? expectation
        }
        return order
    }
}
