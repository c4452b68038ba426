import Payments

/// Reads the signed fields of a Citcon UPI notification.
struct CitconUPIInterpretation {
    let fields: ListedFields
    /// Whether unsigned fields contradict the signed ones about money.
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
            // The unsigned fields contradict the signed ones, so it changes no sum.
            reported.effect = .doubt
            reported.flags.append(.unsignedClaim)
        }
        if reported.hasFailed {
            // Present only if signed; code 4000 and its message are the gateway's "payment failed".
            reported.reason = Reason(code: fields.word("code"), message: fields["message"])
        }
        // A reference is required, except for an event about no order, and for a charge that failed
        // early: it has its own id and moved no money.
        guard reported.effect == .none || reference != nil || reported.hasFailed else {
            return notUnderstood(type)
        }
        var identity: [String?] = [
            id, type, status, fields["amount_captured"], fields["amount_refunded"],
        ]
        // Two equal refunds that carry the charge's id differ only in their time.
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

    // MARK: Decision tables; nil for a claim about money without an amount

    /// The decision table of a charge. `authorized` is not captured money. The spellings come from
    /// the signature guide, a live plugin and the SDK manual.
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

    /// The decision table of a refund. It is not documented whether its `amount` and its id are the
    /// refund's own or the charge's, nor whether `amount_refunded` is this refund or the total so
    /// far. The order rules consider every reading that fits the known facts.
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

    /// The dispute status of a chargeback's word; nil for an unknown one.
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

    /// The charge of a refund or chargeback, if a signed field names it. No such field is
    /// documented; these are the names that Citcon's API uses elsewhere.
    private var charged: String? { fields.word("transaction_id") ?? fields.word("charge_id") }

    private var amount: Money? { money("amount") }

    /// The amount taken: `amount_captured` if it names one, else `amount`.
    private var captured: Money? {
        namesAmount("amount_captured") ? money("amount_captured") : amount
    }

    /// Whether less was captured than the charge's amount.
    private var isPart: Bool {
        guard let captured, let amount else { return false }
        return captured.minor < amount.minor
    }

    /// The refunded sum that a charge reports. It is only a bound, because the refund has its own
    /// notification. An unreadable sum counts as one minor unit.
    private var refundedSoFar: Money? {
        guard namesAmount("amount_refunded") else { return nil }
        return money("amount_refunded") ?? amount.map { Money(minor: 1, currency: $0.currency) }
    }

    /// The time of a refund, verbatim.
    private var moment: String? {
        let text = fields["time_completed"] ?? fields["time_created"]
        return text.flatMap { $0.isWord ? $0 : nil }
    }

    /// Whether a field gives an amount. An empty text and zero mean that there is none yet.
    private func namesAmount(_ name: StaticString) -> Bool {
        guard let text = fields[name] else { return false }
        return !text.isEmpty && text != "0"
    }

    /// An integer in the smallest unit. Anything but digits is not an amount.
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
