import Payments

/// What the signed fields of a Citcon UPI notification say.
struct CitconUPIInterpretation {
    let fields: ListedFields
    /// Set where the body says more about money than its signature covers.
    var hasUnsignedClaim = false

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
        guard var reported else { return notUnderstood(type) }
        if hasUnsignedClaim, reported.effect != .none {
            // Nothing of it counts: the unsigned words contradict the signed ones.
            reported.effect = .doubt
            reported.flags.append(.unsignedClaim)
        }
        if reported.hasFailed {
            // Where they are signed; code 4000 and its words are the gateway's "payment failed".
            reported.reason = Reason(code: fields.word("code"), message: fields["message"])
        }
        // Only what is about no order needs no reference; and a charge that failed early, which has
        // an id of its own and moved nothing.
        guard reported.effect == .none || reference != nil || reported.hasFailed else {
            return notUnderstood(type)
        }
        var identity: [String?] = [
            id, type, status, fields["amount_captured"], fields["amount_refunded"],
        ]
        // Two equal refunds that carry the charge's id differ in their time alone.
        if type == "refund" { identity.append(moment) }
        if reported.flags.contains(.unsignedClaim) { identity.append("unsigned") }
        let isOperation = charged != nil
        return Notification(
            id: EventIdentity.text(identity),
            kind: reported.kind, status: reported.word, occurred: occurred,
            reference: isOperation ? nil : reference, alias: isOperation ? reference : nil,
            transaction: charged ?? id, effect: reported.effect,
            refundedAtLeast: reported.refundedAtLeast, reason: reported.reason,
            method: fields.word("payment_method"), agreement: type == "vault" ? id : nil,
            flags: reported.flags)
    }

    private struct Reported {
        var kind: String
        var word: String
        var effect: Effect
        var refundedAtLeast: Money?
        var reason: Reason?
        var flags: [Flag] = []

        var hasFailed: Bool {
            if case .attempt(let attempt, _) = effect { attempt.isUnpaidEnd } else { false }
        }
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
            return Reported(
                kind: "payment", word: "paid", effect: .attempt(.paid, captured),
                refundedAtLeast: refundedSoFar, flags: isPart ? [.partiallyCaptured] : [])
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

    /// Nothing says whether a refund's `amount` is its own or the charge's, nor whether
    /// `amount_refunded` is this refund or the sum so far, nor whose its id is: the order's rules
    /// read it in every way that fits all that is known.
    private func refund(_ id: String, _ status: String) -> Reported? {
        let action: ActionStatus
        var flags: [Flag] = []
        let refunded = namesAmount("amount_refunded") ? money("amount_refunded") : nil
        switch status {
        case "success", "succeeded":
            guard amount != nil, refunded != nil || !namesAmount("amount_refunded") else {
                return nil
            }
            action = .succeeded
        case "fail", "failed": action = .failed
        case "initiated", "pending": action = .pending
        default:
            action = .pending
            flags = [.unknownStatus]
        }
        return Reported(
            kind: "refund", word: flags.isEmpty ? action.name : status,
            effect: .unclearRefund(
                id: id, action,
                RefundClaim(amount: amount, refunded: refunded, moment: moment)),
            flags: flags)
    }

    private func chargeback(_ id: String, _ status: String) -> Reported {
        let known = Self.disputeStatus(status)
        return Reported(
            kind: "dispute", word: known?.name ?? status,
            effect: .dispute(id: id, known ?? .open, amount),
            flags: known == nil ? [.unknownStatus] : [])
    }

    /// What a chargeback's word means; nil for one that is not known.
    static func disputeStatus(_ word: String) -> DisputeStatus? {
        switch word.lowercased() {
        case "notification of claim", "request for information", "information supplied": .open
        case "lost": .lost
        case "won": .won
        case "case closed": .closed
        default: nil
        }
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

    /// True when less was captured than the charge is over.
    private var isPart: Bool {
        guard let captured, let amount else { return false }
        return captured.minor < amount.minor
    }

    /// How much a charge says to have been refunded of it: a bound, for the refund comes with a
    /// notification of its own. One that cannot be read is the least bound there is.
    private var refundedSoFar: Money? {
        guard namesAmount("amount_refunded") else { return nil }
        return money("amount_refunded") ?? amount.map { Money(minor: 1, currency: $0.currency) }
    }

    /// The time of a refund, verbatim.
    private var moment: String? {
        let text = fields["time_completed"] ?? fields["time_created"]
        return text.flatMap { $0.isWord ? $0 : nil }
    }

    /// False for an empty text and zero, which both mean that there is nothing yet.
    private func namesAmount(_ name: StaticString) -> Bool {
        guard let text = fields[name] else { return false }
        return !text.isEmpty && text != "0"
    }

    /// An integer of the smallest unit. Anything else than digits is not an amount.
    private func money(_ name: StaticString) -> Money? {
        guard let digits = fields[name],
            let currency = fields["currency"].flatMap({ Currency(listed: $0) })
        else { return nil }
        return Money(minorDigits: digits, currency: currency)
    }

    private var occurred: Timestamp? {
        fields.time("time_completed") ?? fields.time("time_created")
    }

    private func notUnderstood(_ type: String) -> Notification {
        .notUnderstood(
            kind: type == "charge" ? "payment" : type == "chargeback" ? "dispute" : type,
            reference: charged == nil ? reference : nil, transaction: charged ?? fields.word("id"),
            effect: ["charge", "refund", "chargeback"].contains(type) ? .doubt : .none,
            signed: fields.signedText)
    }
}
