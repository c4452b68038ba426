import Payments

/// What the signed fields of a Citcon Pay notification say.
struct CitconPayReading {
    let fields: ListedFields

    var notification: Notification {
        let type = fields["type"] ?? ""
        guard let id = fields.word("id"), let status = statusText, status.utf8.count <= wordBytesMax
        else { return notUnderstood }
        switch type {
        case "", "charge": return charge(id, status, type)
        case "refund": return refund(id, status)
        default:
            return Notification(
                id: EventIdentity.text(id, status, type),
                kind: type.isWord ? type.lowercased() : "unknown",
                status: status, occurred: occurred, reference: reference, transaction: id,
                flags: [.unknownKind])
        }
    }

    /// One flavour says `notify_status`, the other `status`. Where both are signed, the former is
    /// the notification's own.
    private var statusText: String? { fields["notify_status"] ?? fields["status"] }

    private func charge(_ id: String, _ status: String, _ type: String) -> Notification {
        let attempt: AttemptStatus
        var flags: [Flag] = []
        switch status {
        case "success":
            guard amount != nil else { return notUnderstood }
            attempt = .paid
        case "fail", "failed": attempt = .failed
        case "cancel", "canceled", "cancelled": attempt = .canceled
        // "NULL" is what an unpaid transaction's missing status becomes in a form.
        case "NULL", "null", "", "pending": attempt = .pending
        default:
            attempt = .pending
            flags = [.unknownStatus]
        }
        guard reference != nil else { return notUnderstood }
        return Notification(
            id: EventIdentity.text(id, status, type), kind: "payment",
            status: flags.isEmpty ? attempt.name : status, occurred: occurred, reference: reference,
            transaction: id, effect: .attempt(attempt, flags.isEmpty ? amount : nil), flags: flags)
    }

    private func refund(_ id: String, _ status: String) -> Notification {
        let word = fields["refund_status"].flatMap { $0.isEmpty ? nil : $0 } ?? status
        let action: ActionStatus
        var flags: [Flag] = []
        switch word {
        case "success", "refunded":
            guard refunded != nil else { return notUnderstood }
            action = .succeeded
        case "fail", "failed", "cancel", "canceled", "cancelled": action = .failed
        case "NULL", "null", "", "pending": action = .pending
        default:
            action = .pending
            flags = [.unknownStatus]
        }
        guard reference != nil else { return notUnderstood }
        return Notification(
            // Partial refunds of one transaction may share its id: how far and how much tells them
            // apart.
            id: EventIdentity.text(
                id, status, "refund", fields["refund_status"], fields["refunded_amount"]),
            kind: "refund", status: flags.isEmpty ? action.name : word, occurred: occurred,
            reference: reference, transaction: id, effect: .refund(id: id, action, refunded),
            flags: flags)
    }

    private var reference: String? { fields.word("reference") }

    private var amount: Money? { money("amount") }

    /// As with Citcon UPI: whether `amount` is the charge's or the refund's, and `refunded_amount`
    /// this refund or the sum so far, is not documented; the smaller of the two is right in each
    /// case.
    private var refunded: Money? {
        guard let text = fields["refunded_amount"], !text.isEmpty, text != "0" else {
            return amount
        }
        guard let amount, let refunded = money("refunded_amount") else { return nil }
        return min(amount, refunded)
    }

    /// An integer of the smallest unit.
    private func money(_ name: StaticString) -> Money? {
        guard let digits = fields[name], let currency = fields["currency"].flatMap({ Currency($0) })
        else { return nil }
        return Money(minorDigits: digits, currency: currency)
    }

    /// `2017-06-22 13:23:12` or `2017/06/22 1:23:12 PM`, both without a zone: for people only.
    private var occurred: Timestamp? {
        fields["time"].flatMap { Timestamp(lenient: $0) }
    }

    private var notUnderstood: Notification {
        .notUnderstood(
            kind: fields["type"] == "refund" ? "refund" : "payment", reference: reference,
            transaction: fields.word("id"), signed: fields.signedText)
    }
}
