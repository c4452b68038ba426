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
