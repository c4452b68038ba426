import Payments

/// The event of one notification of Braintree, by its `kind`, and the facts of a transaction in an
/// answer.
///
/// | `kind` | effect |
/// |---|---|
/// | `transaction_settled` | paid; of type `credit` a refund |
/// | `transaction_settlement_declined`, `refund_failed` | failed; of type `credit` the refund |
/// | `dispute_opened`, `_under_review`, `_disputed` | disputed |
/// | `dispute_lost`, `_accepted`, `_auto_accepted`, `_expired` | charged back; retrieval: closed |
/// | `dispute_won` | won |
/// | `local_payment_completed`, `_funded` | by the status of its transaction; else pending |
/// | `local_payment_expired`, `_reversed` | expired; reversed |
/// | anything else | none |
///
/// Ordinary sales by card, their voids and refunds are not reported.
struct BraintreeInterpretation {
    /// A notification, or the transaction of an answer.
    let root: BraintreeXML
    /// The content that was signed: the identity of an event that cannot be read.
    let signed: [UInt8]
    /// The currency of sums that name none.
    let currency: Currency?

    /// The signed time of a notification; in an answer, when the transaction last changed.
    static func time(_ root: BraintreeXML) -> Timestamp? {
        (root.word("timestamp") ?? root.word("updated-at")).flatMap { Timestamp(iso8601: $0) }
    }

    private var subject: BraintreeXML? { root["subject"] }

    var notification: Notification {
        guard root.name == "notification", let kind = root.word("kind"), let subject,
            Self.time(root) != nil
        else { return .notUnderstood(signed: signed) }
        switch kind {
        case "transaction_settled", "transaction_settlement_declined", "refund_failed":
            return transaction(kind, subject["transaction"])
        case let kind where kind.hasPrefix("dispute_"): return dispute(kind, subject["dispute"])
        case "local_payment_completed", "local_payment_funded", "local_payment_expired",
            "local_payment_reversed":
            return localPayment(kind, subject.children.first)
        case "check":
            return event(kind, "", "other", kind, .none, flags: [.testMode])
        default:
            let first = subject.children.first
            var read = event(
                kind, first?.word("id") ?? "", "other", kind, .none,
                flags: kind == "transaction_reviewed" ? [.providerReview] : [])
            if first?.name == "transaction" { read.transaction = first?.word("id") }
            return read
        }
    }

    // MARK: Transactions

    /// The facts of a transaction in an answer: that of its status, and its disputes.
    var facts: [Notification] {
        guard let id = root.word("id"), let word = root.word("status") else {
            return [notUnderstood("payment", root)]
        }
        guard let status = Self.status(word) else {
            var read = event(word, id, "payment", word, .attempt(.pending, nil))
            read.flags = [.unknownStatus]
            (read.reference, read.transaction) = (root.word("order-id"), id)
            return [read]
        }
        let isRefund = root.word("type") == "credit"
        let own = isRefund ? refund(word, root, ActionStatus(status)) : sale(word, root, status)
        let disputes = root["disputes"]?.children.map { dispute("dispute", $0, of: root) } ?? []
        return [own] + disputes
    }

    private func transaction(_ kind: String, _ transaction: BraintreeXML?) -> Notification {
        guard let transaction else { return notUnderstood("payment", nil) }
        let hasSucceeded = kind == "transaction_settled"
        if kind == "refund_failed" || transaction.word("type") == "credit" {
            return refund(kind, transaction, hasSucceeded ? .succeeded : .failed)
        }
        return sale(kind, transaction, hasSucceeded ? .paid : .failed)
    }

    private func sale(
        _ kind: String, _ transaction: BraintreeXML, _ status: AttemptStatus
    ) -> Notification {
        let amount = money(transaction, "amount")
        guard let id = transaction.word("id"),
            amount != nil || ![.paid, .authorized].contains(status)
        else { return notUnderstood("payment", transaction) }
        var read = event(kind, id, "payment", status.name, .attempt(status, amount))
        (read.reference, read.transaction) = (transaction.word("order-id"), id)
        read.method = transaction.word("payment-instrument-type")
        return read
    }

    private func refund(
        _ kind: String, _ transaction: BraintreeXML, _ status: ActionStatus
    ) -> Notification {
        let amount = money(transaction, "amount")
        let parent =
            transaction.word("refunded-transaction-id")
            ?? transaction.word("refunded-transaction-fk")
        guard let id = transaction.word("id"), let parent, amount != nil || status == .failed else {
            return notUnderstood("refund", transaction)
        }
        var read = event(kind, id, "refund", status.name, .refund(id: id, status, amount))
        (read.alias, read.transaction) = (transaction.word("order-id"), parent)
        return read
    }

    // MARK: Disputes

    /// - Parameters:
    ///   - kind: `dispute_`… in a notification. In an answer, the dispute's own status counts.
    ///   - parent: The transaction that lists the dispute in an answer.
    private func dispute(
        _ kind: String, _ dispute: BraintreeXML?, of parent: BraintreeXML? = nil
    ) -> Notification {
        guard let dispute, let id = dispute.word("id") else {
            return notUnderstood("dispute", parent ?? dispute?["transaction"])
        }
        var flags: [Flag] = []
        var status: DisputeStatus
        switch kind == "dispute" ? dispute.word("status") ?? "" : String(kind.dropFirst(8)) {
        case "open", "opened", "under_review", "disputed": status = .open
        case "lost", "accepted", "auto_accepted", "expired":
            // A retrieval only asks for papers.
            status = dispute.word("kind") == "retrieval" ? .closed : .lost
        case "won": status = .won
        default: (status, flags) = (.open, [.unknownKind])
        }
        let amount = money(dispute, "amount-disputed")
        var read = event(
            kind, id, "dispute", flags.isEmpty ? status.name : kind,
            flags.isEmpty ? .dispute(id: id, status, amount) : .doubt, flags: flags)
        read.alias = dispute.word("transaction", "order-id") ?? parent?.word("order-id")
        read.transaction = dispute.word("transaction", "id") ?? parent?.word("id")
        read.reason = Reason(code: dispute.word("reason"), message: nil)
        return read
    }

    // MARK: Local payments

    private func localPayment(_ kind: String, _ payment: BraintreeXML?) -> Notification {
        guard let payment, let id = payment.word("payment-id") else {
            return notUnderstood("payment", payment?["transaction"])
        }
        guard kind != "local_payment_reversed" else {
            var read = event(
                kind, id, "reversal", ActionStatus.succeeded.name,
                .reversal(.operation, id: EventIdentity.text(id, "reversed"), .succeeded, nil))
            read.transaction = id
            return read
        }
        var flags: [Flag] = []
        var status: AttemptStatus = kind == "local_payment_expired" ? .expired : .pending
        let transaction = payment["transaction"]
        if let word = transaction?.word("status") {
            if let known = Self.status(word) {
                status = known
            } else {
                flags = [.unknownStatus]
            }
        }
        let amount = transaction.flatMap { money($0, "amount") }
        guard amount != nil || ![.paid, .authorized].contains(status) else {
            return notUnderstood("payment", transaction)
        }
        var read = event(
            kind, id, "payment",
            flags.isEmpty ? status.name : transaction?.word("status") ?? kind,
            .attempt(status, flags.isEmpty ? amount : nil), flags: flags)
        read.reference = transaction?.word("order-id")
        read.transaction = transaction?.word("id") ?? id
        // Joins the messages of the local payment.
        if read.transaction != id { read.alias = id }
        return read
    }

    /// The meaning of a transaction's status; nil for an unknown one.
    private static func status(_ word: String) -> AttemptStatus? {
        switch word {
        case "settled": .paid
        case "authorized": .authorized
        case "voided": .canceled
        case "authorization_expired": .expired
        case "settlement_declined", "settlement_failed", "failed", "gateway_rejected",
            "processor_declined":
            .failed
        case "authorizing", "settlement_pending", "settling", "settlement_confirmed",
            "submitted_for_settlement":
            .pending
        default: nil
        }
    }

    // MARK: Parts

    private func event(
        _ braintrees: String, _ id: String, _ kind: String, _ status: String, _ effect: Effect,
        flags: [Flag] = []
    ) -> Notification {
        Notification(
            id: EventIdentity.text(braintrees, id, root.word("timestamp")), kind: kind,
            status: status, occurred: Self.time(root), effect: effect, flags: flags)
    }

    /// A sum as decimal text, with or without decimals.
    private func money(_ element: BraintreeXML, _ name: String) -> Money? {
        let named = element.word("currency-iso-code")
        guard let currency = named.map({ Currency(listed: $0) }) ?? currency,
            let text = element.word(name)
        else { return nil }
        return Money(decimal: text, currency: currency, allowingTrailingZeros: true)
    }

    private func notUnderstood(_ kind: String, _ transaction: BraintreeXML?) -> Notification {
        .notUnderstood(
            kind: kind, reference: transaction?.word("order-id"),
            transaction: transaction?.word("id"), effect: .doubt, signed: signed)
    }
}

extension ActionStatus {
    /// The status of a refund, which Braintree gives in the words of a payment.
    fileprivate init(_ status: AttemptStatus) {
        self =
            switch status {
            case .paid: .succeeded
            case .pending, .authorized: .pending
            default: .failed
            }
    }
}
