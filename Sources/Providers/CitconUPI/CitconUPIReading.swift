import Payments

/// What the signed fields of a Citcon UPI notification say.
struct CitconUPIReading {
    let fields: ListedFields

    var notification: Notification {
        let type = fields.word("transaction_type") ?? "unknown"
        guard let id = fields.word("id"), let status = fields.word("status") else {
            return notUnderstood(type)
        }
        let reference = reference
        let reported: Reported?
        switch type {
        case "charge": reported = charge(status)
        case "refund": reported = refund(id, status)
        case "chargeback": reported = chargeback(id, status)
        case "vault": reported = Reported(kind: "vault", word: status, effect: .none)
        default:
            reported = Reported(
                kind: type.lowercased(), word: status, effect: .none, flags: [.unknownKind])
        }
        guard let reported else { return notUnderstood(type) }
        // Without a reference there is no order. What is about none needs none.
        guard reported.effect == .none || reference != nil else { return notUnderstood(type) }
        return Notification(
            id: EventIdentity.text(
                id, type, status, fields["amount_captured"], fields["amount_refunded"]),
            kind: reported.kind, status: reported.word, occurred: occurred, reference: reference,
            transaction: charged ?? id, effect: reported.effect, flags: reported.flags)
    }

    private struct Reported {
        var kind: String
        var word: String
        var effect: Effect
        var flags: [Flag] = []
    }

    // MARK: Decision tables; nil is what claims money and does not say how much

    /// `authorized` is not captured money. The spellings come from the signature guide, a live
    /// plugin and the SDK manual.
    private func charge(_ status: String) -> Reported? {
        let attempt: AttemptStatus
        var flags: [Flag] = []
        switch status {
        case "captured", "success", "succeeded":
            guard let captured else { return nil }
            return Reported(kind: "payment", word: "paid", effect: .attempt(.paid, captured))
        case "authorized": attempt = .authorized
        case "cancelled", "canceled": attempt = .canceled
        case "fail", "failed": attempt = .failed
        case "expired": attempt = .expired
        case "initiated", "pending": attempt = .pending
        default:
            attempt = .pending
            flags = [.unknownStatus]
        }
        return Reported(
            kind: "payment", word: flags.isEmpty ? attempt.name : status,
            effect: .attempt(attempt, flags.isEmpty ? amount : nil), flags: flags)
    }

    private func refund(_ id: String, _ status: String) -> Reported? {
        let action: ActionStatus
        var flags: [Flag] = []
        switch status {
        case "success", "succeeded":
            guard refunded != nil else { return nil }
            action = .succeeded
        case "fail", "failed": action = .failed
        case "initiated", "pending": action = .pending
        default:
            action = .pending
            flags = [.unknownStatus]
        }
        return Reported(
            kind: "refund", word: flags.isEmpty ? action.name : status,
            effect: .refund(id: id, action, refunded), flags: flags)
    }

    private func chargeback(_ id: String, _ status: String) -> Reported {
        let dispute: DisputeStatus
        var flags: [Flag] = []
        switch status.lowercased() {
        case "notification of claim", "request for information", "information supplied":
            dispute = .open
        case "lost": dispute = .lost
        case "won": dispute = .won
        case "case closed": dispute = .closed
        default:
            dispute = .open
            flags = [.unknownStatus]
        }
        return Reported(
            kind: "dispute", word: flags.isEmpty ? dispute.name : status,
            effect: .dispute(id: id, dispute, amount), flags: flags)
    }

    // MARK: Fields

    private var reference: String? { fields.word("reference") }

    /// The charge that a refund or chargeback belongs to, where a signed field names it. None is
    /// documented; these are what Citcon's API calls it elsewhere.
    private var charged: String? { fields.word("transaction_id") ?? fields.word("charge_id") }

    private var amount: Money? { money("amount") }

    /// What was taken: `amount_captured` where it names something, else `amount`.
    private var captured: Money? {
        namesAmount("amount_captured") ? money("amount_captured") : amount
    }

    /// What went back. Nothing says whether a refund's `amount` is its own or the charge's, nor
    /// whether `amount_refunded` is this refund or the sum so far. The smaller of the two is right
    /// in each of these cases.
    private var refunded: Money? {
        guard namesAmount("amount_refunded") else { return amount }
        guard let amount, let refunded = money("amount_refunded") else { return nil }
        return min(amount, refunded)
    }

    /// False for an empty text and zero, which both mean that there is nothing yet.
    private func namesAmount(_ name: StaticString) -> Bool {
        guard let text = fields[name] else { return false }
        return !text.isEmpty && text != "0"
    }

    /// An integer of the smallest unit. Anything else than digits is no amount.
    private func money(_ name: StaticString) -> Money? {
        guard let digits = fields[name], let currency = fields["currency"].flatMap({ Currency($0) })
        else { return nil }
        return Money(minorDigits: digits, currency: currency)
    }

    private var occurred: Timestamp? {
        fields.time("time_completed") ?? fields.time("time_created")
    }

    private func notUnderstood(_ type: String) -> Notification {
        .notUnderstood(
            kind: type == "charge" ? "payment" : type == "chargeback" ? "dispute" : type,
            reference: reference, transaction: fields.word("id"), signed: fields.signedText)
    }
}
