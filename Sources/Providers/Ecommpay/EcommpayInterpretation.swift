import Payments

/// Reads the signed scalars of an ecommpay callback.
///
/// The merchant chooses `payment.id`: it is the order's reference, and the only name that a capture
/// or refund gives its payment. Sales and authorisations are attempts with their operation's id, so
/// a second try after a decline is a second attempt.
struct EcommpayInterpretation {
    let leaves: EcommpayLeaves

    var notification: Notification {
        if reference == nil {
            if leaves.has("payment") || leaves.has("operation") { return notUnderstood() }
            return withoutPayment
        }
        guard operationType != nil || !leaves.has("operation") else { return notUnderstood() }
        switch operationType {
        case "sale", "recurring": return sale
        case "auth": return authorization
        case "capture": return capture
        case "cancel": return cancel
        case "refund": return refund
        case "reversal": return reversal(.operation)
        case "refund reverse": return reversal(.refund)
        case "chargeback": return chargeback
        case "chargeback reversal", "chargeback reverse": return reversal(.dispute)
        case "incremental": return increase
        case "invoice":
            // An invoice was sent: the order is open, and no money has moved.
            return event("payment", "pending", .attempt(.pending, nil))
        case "payout": return event("payout", operationStatus ?? "unknown", .none)
        case "account verification": return verification
        case .some(let type):
            return event(
                String(type.map { $0 == " " ? "_" : $0 }).lowercased(),
                operationStatus ?? "unknown",
                .none, flags: [.unknownKind])
        case nil: return paymentOnly
        }
    }

    // MARK: Fields

    let reference: String?
    let operationID: String?
    let operationType: String?
    let operationStatus: String?
    let paymentStatus: String?

    init(leaves: EcommpayLeaves) {
        self.leaves = leaves
        reference = leaves.word("payment:id")
        operationID = leaves.number("operation:id")
        operationType = leaves.word("operation:type")
        operationStatus = leaves.word("operation:status")
        paymentStatus = leaves.word("payment:status")
    }

    /// The operation's amount.
    var operationSum: Money? {
        money(
            leaves.number("operation:sum_initial:amount"),
            leaves.word("operation:sum_initial:currency"))
    }

    /// The payment's amount; for a sale or an authorisation the same.
    var paymentSum: Money? {
        money(leaves.number("payment:sum:amount"), leaves.word("payment:sum:currency"))
    }

    /// An integer in the smallest unit. A number and a string have the same signed text, so both
    /// are read.
    private func money(_ digits: String?, _ code: String?) -> Money? {
        guard let digits, let currency = code.flatMap({ Currency(listed: $0) }) else { return nil }
        return Money(minorDigits: digits, currency: currency)
    }

    private var occurred: Timestamp? {
        leaves.time("operation:date") ?? leaves.time("payment:date")
    }

    private var projectID: String? {
        leaves.number("project_id") ?? leaves.number("general:project_id")
    }

    // MARK: Notifications

    func event(
        _ kind: String, _ status: String, _ effect: Effect, transaction: String? = nil,
        flags: [Flag] = []
    ) -> Notification {
        Notification(
            id: EventIdentity.text(
                "payment", projectID, reference, operationID, operationStatus, paymentStatus),
            kind: kind, status: status, occurred: occurred, reference: reference,
            transaction: transaction, effect: effect, ids: .reference, reason: reason,
            method: leaves.word("payment:method"), agreement: agreement, flags: flags)
    }

    /// The agreement that the operation is a debit of. "Regular" and "express" debits are
    /// operations of the type `recurring`, in the payment that began the series or in a separate
    /// one. If the callback does not name the series, the payment's id is used.
    private var agreement: String? {
        leaves.number("recurring:id") ?? (operationType == "recurring" ? reference : nil)
    }

    /// ecommpay's code and message for an operation that did not succeed.
    private var reason: Reason? {
        guard operationStatus != "success" else { return nil }
        return Reason(
            code: leaves.word("operation:code"), message: leaves.words(EcommpayLeaves.message))
    }

    func notUnderstood(kind: String = "payment") -> Notification {
        .notUnderstood(
            kind: kind, reference: reference, transaction: operationID, effect: .doubt,
            ids: .reference, signed: leaves.sortedParts)
    }

    /// Reads callbacks about no order: tokens and recurring registrations.
    private var withoutPayment: Notification {
        if leaves.has("request") || leaves.has("token") || leaves.has("token_status") {
            let status = leaves.word("token_status") ?? leaves.word("request:status")
            guard let id = leaves.word("request:id") else {
                return notUnderstood(kind: "token")
            }
            return Notification(
                id: EventIdentity.text("token", id, status), kind: "token",
                status: status ?? "unknown", agreement: id)
        }
        if let id = leaves.word("recurring:id") {
            let status = leaves.word("recurring:status") ?? "unknown"
            return Notification(
                id: EventIdentity.text("recurring", projectID, id, status), kind: "recurring",
                status: status, agreement: id)
        }
        return notUnderstood(kind: "unknown")
    }
}
