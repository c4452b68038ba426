import JSON
import Payments

/// One decrypted notification, read: `type` first, then `paymentType`, then the result code. The
/// portal's activation test carries a success code and no payment, so the code alone means nothing.
struct OPPReading {
    let root: JSONValue
    let payload: JSONValue
    let plaintext: [UInt8]
    let mode: EndpointSettings.Mode
    let type: String
    let id: String?
    let code: OPPResultCode?

    static func notification(plaintext: [UInt8], mode: EndpointSettings.Mode) -> Notification {
        guard let document = try? JSONDocument(parsing: plaintext),
            let type = document.root["type"]?.word
        else { return .notUnderstood(signed: plaintext) }
        let root = document.root
        guard let payload = root["payload"], payload.kind == .object else {
            return .notUnderstood(
                kind: type == "PAYMENT" ? "payment" : "unknown", signed: plaintext)
        }
        let reading = OPPReading(
            root: root, payload: payload, plaintext: plaintext, mode: mode, type: type,
            id: payload["id"]?.word,
            code: payload["result"]?["code"]?.word.map(OPPResultCode.init))
        return type == "PAYMENT" ? reading.payment : reading.other(type)
    }

    // MARK: Fields

    /// The payment that a capture, refund, reversal or chargeback is about.
    var referenced: String? { payload["referencedId"]?.word }
    var reference: String? { payload["merchantTransactionId"]?.word }

    /// `"92.00"`: decimal text. Two decimals are sent for every currency, so zeros beyond a
    /// currency's own are let pass.
    var amount: Money? {
        guard let text = payload["amount"]?.string,
            let currency = payload["currency"]?.string.flatMap({ Currency($0) })
        else { return nil }
        return Money(decimal: text, currency: currency, allowingTrailingZeros: true)
    }

    /// `2015-12-07 16:46:07+0000`
    var occurred: Timestamp? {
        payload["timestamp"]?.utf8.flatMap { Timestamp(lenient: $0.span) }
    }

    var identity: String {
        EventIdentity.text(
            type, root["action"]?.word, id, code?.text, payload["timestamp"]?.word)
    }

    func event(
        _ kind: String, _ status: String, _ effect: Effect, transaction: String?, flags: [Flag] = []
    ) -> Notification {
        Notification(
            id: identity, kind: kind, status: status, occurred: occurred, reference: reference,
            transaction: transaction, effect: effect, flags: flags)
    }

    func notUnderstood(_ kind: String) -> Notification {
        .notUnderstood(kind: kind, reference: reference, transaction: id, signed: plaintext)
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
            flags: isKnown ? [] : [.unknownKind])
    }
}
