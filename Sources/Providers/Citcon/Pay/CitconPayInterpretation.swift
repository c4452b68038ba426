import Payments

/// Reads the signed fields of a Citcon Pay notification.
struct CitconPayInterpretation {
    let fields: ListedFields
    /// Whether unsigned fields contradict the signed ones about money. The documented `fields` has
    /// no `type`, so the signed fields of a refund may look like those of a charge.
    var hasUnsignedClaim = false

    var notification: Notification {
        let type = fields["type"] ?? ""
        guard let id = fields.word("id"), let status = statusText, status.utf8.count <= wordBytesMax
        else { return notUnderstood }
        guard !hasUnsignedClaim else { return unsignedClaim(id, status, type) }
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

    /// A separate event, even if it carries the charge's id: it changes no sum, and the order needs
    /// a person.
    private func unsignedClaim(_ id: String, _ status: String, _ type: String) -> Notification {
        Notification(
            id: EventIdentity.text(id, status, type, "unsigned"),
            kind: type == "refund" ? "refund" : "payment", status: "unsigned_claim",
            occurred: occurred, reference: reference, transaction: id, effect: .doubt,
            flags: [.unsignedClaim])
    }

    /// The status. One variant of notifications has `notify_status`, the other `status`; if both
    /// are signed, the former is the notification's own.
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
        // A form carries the missing status of an unpaid transaction as "NULL".
        case "NULL", "null", "", "pending": attempt = .pending
        // Among them `0`: the manual calls it confirmed in one place and contradicts that in
        // another.
        default:
            attempt = .pending
            flags = [.unknownStatus]
        }
        guard reference != nil else { return notUnderstood }
        return Notification(
            id: EventIdentity.text(id, status, type), kind: "payment",
            status: flags.isEmpty ? attempt.name : status, occurred: occurred, reference: reference,
            transaction: id, effect: .attempt(attempt, flags.isEmpty ? amount : nil),
            reason: attempt.isUnpaidEnd
                ? Reason(code: fields.word("code"), message: fields["message"]) : nil,
            method: fields.word("vendor"), flags: flags)
    }

    private func refund(_ id: String, _ status: String) -> Notification {
        let word = fields["refund_status"].flatMap { $0.isEmpty ? nil : $0 } ?? status
        let action: ActionStatus
        var flags: [Flag] = []
        switch word {
        case "success", "refunded":
            guard amount != nil, refunded != nil || !namesRefundedAmount else {
                return notUnderstood
            }
            action = .succeeded
        case "fail", "failed", "cancel", "canceled", "cancelled": action = .failed
        case "NULL", "null", "", "pending": action = .pending
        default:
            action = .pending
            flags = [.unknownStatus]
        }
        guard reference != nil else { return notUnderstood }
        return Notification(
            // Partial refunds of one transaction may share its id; status, amount and time
            // distinguish them.
            id: EventIdentity.text(
                id, status, "refund", fields["refund_status"], fields["refunded_amount"], moment),
            kind: "refund", status: flags.isEmpty ? action.name : word, occurred: occurred,
            reference: reference, transaction: id,
            effect: .unclearRefund(
                id: id, action,
                RefundClaim(amount: amount, refunded: refunded, moment: moment)),
            flags: flags)
    }

    private var reference: String? { fields.word("reference") }

    private var amount: Money? { money("amount") }

    /// The value of `refunded_amount`. As with Citcon UPI, it is not documented whether `amount` is
    /// that of the charge or the refund, and whether `refunded_amount` is this refund or the total
    /// so far.
    private var refunded: Money? { namesRefundedAmount ? money("refunded_amount") : nil }

    private var namesRefundedAmount: Bool {
        guard let text = fields["refunded_amount"] else { return false }
        return !text.isEmpty && text != "0"
    }

    /// The time, verbatim.
    private var moment: String? { fields["time"].flatMap { $0.isWord ? $0 : nil } }

    /// An integer in the smallest unit.
    private func money(_ name: StaticString) -> Money? {
        guard let digits = fields[name],
            let currency = fields["currency"].flatMap({ Currency(listed: $0) })
        else { return nil }
        return Money(minorDigits: digits, currency: currency)
    }

    /// The time, if it has a zone. The documented forms `2017-06-22 13:23:12` and `2017/06/22
    /// 1:23:12 PM` have none, so their moment is unknown.
    private var occurred: Timestamp? {
        fields["time"].flatMap { Timestamp(iso8601: $0) }
    }

    private var notUnderstood: Notification {
        .notUnderstood(
            kind: fields["type"] == "refund" ? "refund" : "payment", reference: reference,
            transaction: fields.word("id"), effect: .doubt, signed: fields.signedText)
    }
}
