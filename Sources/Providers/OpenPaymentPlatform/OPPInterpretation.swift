import JSON
import Payments

/// Reads a decrypted notification: `type` first, then `paymentType`, then the result code. The
/// portal's activation test carries a success code and no payment, so the code alone means nothing.
struct OPPInterpretation {
    let root: JSONValue
    let payload: JSONValue
    let plaintext: [UInt8]
    let mode: EndpointSettings.Mode
    let type: String
    let id: String?
    let code: OPPResultCode?

    /// Whether it is read from an inquiry's answer. There a timeout or an uncertain result
    /// (`900.…`) is asked for again, and read as pending.
    var isAnswer = false

    static func notification(plaintext: [UInt8], mode: EndpointSettings.Mode) -> Notification {
        guard let document = try? JSONDocument(parsing: plaintext),
            let type = document.root["type"]?.word
        else { return .notUnderstood(signed: plaintext) }
        let root = document.root
        guard let payload = root["payload"], payload.kind == .object else {
            return .notUnderstood(
                kind: type == "PAYMENT" ? "payment" : "unknown", signed: plaintext)
        }
        let reading = OPPInterpretation(
            root: root, payload: payload, plaintext: plaintext, mode: mode, type: type,
            id: payload["id"]?.word,
            code: payload["result"]?["code"]?.word.map(OPPResultCode.init))
        return type == "PAYMENT" ? reading.payment : reading.other(type)
    }

    // MARK: Fields

    /// The payment that a capture, refund, reversal or chargeback refers to.
    var referenced: String? { payload["referencedId"]?.word }
    var reference: String? { payload["merchantTransactionId"]?.word }

    /// A decimal text such as `"92.00"`. Two decimals are sent for every currency, so zeros beyond
    /// the currency's own decimals are accepted.
    var amount: Money? {
        guard let text = payload["amount"]?.string,
            let currency = payload["currency"]?.string.flatMap({ Currency(listed: $0) })
        else { return nil }
        return Money(decimal: text, currency: currency, allowingTrailingZeros: true)
    }

    /// The time of a text such as `2015-12-07 16:46:07+0000`.
    var occurred: Timestamp? {
        payload["timestamp"]?.utf8.flatMap { Timestamp(lenient: $0.span) }
    }

    var identity: String {
        EventIdentity.text(
            type, root["action"]?.word, id, code?.text, payload["timestamp"]?.word)
    }

    /// Returns an event of a payment.
    func event(
        _ kind: String, _ status: String, _ effect: Effect, transaction: String?, flags: [Flag] = []
    ) -> Notification {
        Notification(
            id: identity, kind: kind, status: status, occurred: occurred, reference: reference,
            transaction: transaction, effect: effect, ids: .anything, reason: reason,
            method: payload["paymentBrand"]?.word, agreement: agreement, flags: flags)
    }

    /// The agreement of a repeated payment with a stored card: the payment that began it, or the
    /// stored card. The first payment itself is not an instalment.
    private var agreement: String? {
        let instruction = payload["standingInstruction"]
        guard (instruction?["mode"] ?? payload["recurringType"])?.word == "REPEATED" else {
            return nil
        }
        return instruction?["initialTransactionId"]?.word ?? payload["registrationId"]?.word
            ?? reference
    }

    /// Returns an operation's event for the transaction that it references. Its own
    /// `merchantTransactionId` "should be unique for your transactions", so it is an alias. Without
    /// a `referencedId` it is the reference.
    func operation(
        _ kind: String, _ status: String, _ effect: Effect, flags: [Flag] = []
    ) -> Notification {
        var notification = event(kind, status, effect, transaction: referenced, flags: flags)
        if referenced != nil {
            notification.alias = notification.reference
            notification.reference = nil
        }
        return notification
    }

    /// An unreadable claim about money: the order that it names needs a person. Without a reference
    /// to another transaction, the id is the operation's own.
    func notUnderstood(_ kind: String) -> Notification {
        var notification = Notification.notUnderstood(
            kind: kind, reference: reference, transaction: referenced ?? id, effect: .doubt,
            ids: .anything, signed: plaintext)
        if referenced != nil {
            notification.alias = notification.reference
            notification.reference = nil
        }
        return notification
    }

    /// The platform's code and description for a result that is not a plain success.
    private var reason: Reason? {
        guard let code, code.meaning != .success || code.asksForReview else { return nil }
        return Reason(
            code: code.text, message: payload["result"]?["description"]?.string)
    }

    // MARK: Types without an order

    private func other(_ type: String) -> Notification {
        let isKnown = ["REGISTRATION", "SCHEDULE", "RISK", "test"].contains(type)
        let status = root["action"]?.word ?? code?.text ?? "unknown"
        let hasIdentity = id != nil || type == "test"
        return Notification(
            id: hasIdentity
                ? identity : EventIdentity.text(type, status, EventIdentity.digest(of: plaintext)),
            kind: type.lowercased(), status: status, occurred: occurred,
            agreement: type == "REGISTRATION" ? id : nil, flags: isKnown ? [] : [.unknownKind])
    }
}

extension OPPInterpretation {
    /// Reads `type` `PAYMENT`: a transaction of one of the platform's payment types.
    var payment: Notification {
        guard let id, let code, let type = payload["paymentType"]?.word else {
            return notUnderstood("payment")
        }
        let isUncertain = isAnswer && code.text.hasPrefix("900.")
        let meaning = isUncertain ? OPPResultCode.Meaning.pending : code.meaning
        guard mode == .test || !code.isTestMode else {
            // Test money at a live endpoint: stored, shown, and never counted.
            return event(
                Self.kind(of: type), "test_mode", .none, transaction: id, flags: [.testMode])
        }
        var notification: Notification =
            switch type {
            case "CB": chargeback(id, meaning)
            case "CR": chargebackReversal(id, meaning)
            case _ where meaning == .chargeback: chargeback(id, meaning)
            case "DB": attempt(id, meaning, taken: .paid)
            case "PA": attempt(id, meaning, taken: .authorized)
            case "CP": action("capture", meaning) { .capture(id: id, $0, $1) }
            case "RF": action("refund", meaning) { .refund(id: id, $0, $1) }
            // Undoes the operation with the referenced id, which the order rules find. Without one
            // it may undo a payment, whose money was returned, or a refund, whose money came back.
            case "RV" where meaning == .success && referenced == nil: notUnderstood("reversal")
            case "RV": action("reversal", meaning) { .reversal(.operation, id: id, $0, $1) }
            default:
                event(
                    type.lowercased(), code.text, .none, transaction: id, flags: [.unknownKind])
            }
        if code.isTestMode { notification.flags.append(.testMode) }
        if meaning == .success, code.asksForReview, notification.effect != .none {
            notification.flags.append(.providerReview)
        }
        return notification
    }

    private static func kind(of type: String) -> String {
        switch type {
        case "CP": "capture"
        case "RF": "refund"
        case "CB": "dispute"
        case "RV", "CR": "reversal"
        default: "payment"
        }
    }

    /// Reads `DB` and `PA`.
    private func attempt(
        _ id: String, _ meaning: OPPResultCode.Meaning, taken: AttemptStatus
    ) -> Notification {
        switch meaning {
        case .success:
            guard let amount else { return notUnderstood("payment") }
            return event("payment", taken.name, .attempt(taken, amount), transaction: id)
        case .pending, .checkOnly:
            return event("payment", "pending", .attempt(.pending, amount), transaction: id)
        case .rejected, .canceled, .expired:
            let end: AttemptStatus =
                meaning == .canceled ? .canceled : meaning == .expired ? .expired : .failed
            return event("payment", end.name, .attempt(end, amount), transaction: id)
        case .chargeback, .unknown:
            return event(
                "payment", code?.text ?? "unknown", .attempt(.pending, nil), transaction: id,
                flags: [.unknownStatus])
        }
    }

    /// Reads `CP`, `RF` and `RV`: operations on another transaction.
    private func action(
        _ kind: String, _ meaning: OPPResultCode.Meaning, effect: (ActionStatus, Money?) -> Effect
    ) -> Notification {
        let status: ActionStatus
        switch meaning {
        case .success:
            guard amount != nil else { return notUnderstood(kind) }
            status = .succeeded
        case .pending, .checkOnly: status = .pending
        case .rejected, .canceled, .expired: status = .failed
        case .chargeback, .unknown:
            return operation(
                kind, code?.text ?? "unknown", effect(.pending, nil), flags: [.unknownStatus])
        }
        return operation(kind, status.name, effect(status, amount))
    }

    /// Reads `CB`: the money was taken back.
    private func chargeback(_ id: String, _ meaning: OPPResultCode.Meaning) -> Notification {
        let (status, flags): (DisputeStatus, [Flag]) =
            switch meaning {
            case .success, .chargeback: (.lost, [])
            case .pending, .checkOnly: (.open, [])
            case .rejected, .canceled, .expired: (.closed, [])
            case .unknown: (.open, [.unknownStatus])
            }
        return operation(
            "dispute", flags.isEmpty ? status.name : code?.text ?? "unknown",
            .dispute(id: id, status, amount), flags: flags)
    }

    /// Reads `CR`: a chargeback was withdrawn. It is the referenced one, or the only one of the
    /// referenced payment.
    private func chargebackReversal(
        _ id: String, _ meaning: OPPResultCode.Meaning
    ) -> Notification {
        let (status, flags): (ActionStatus, [Flag]) =
            switch meaning {
            case .success, .chargeback: (.succeeded, [])
            case .pending, .checkOnly: (.pending, [])
            case .rejected, .canceled, .expired: (.failed, [])
            case .unknown: (.pending, [.unknownStatus])
            }
        return operation(
            "reversal", flags.isEmpty ? status.name : code?.text ?? "unknown",
            .reversal(.dispute, id: id, status, amount), flags: flags)
    }
}
