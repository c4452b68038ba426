import Bytes
import Cryptography
import JSON
import Payments

/// Mollie's part: signed events with their entity, or the id of a payment in a form.
package struct MollieSender: Sender {
    private let kind: Mollie.Kind
    private let key: HMACKey?

    /// - Throws: ``SettingsError`` without a secret, where events are signed.
    package init(settings: EndpointSettings) throws(SettingsError) {
        kind = settings[Mollie.kind] ?? .signed
        key =
            kind == .signed
            ? HMACKey(.sha256, Array(try settings.senderSecret().trimmingWhiteSpace)) : nil
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        _ = try event.digits()
        guard let key else {
            guard event.type != .ignored else { throw .unsupported(event.type) }
            return OutboundRequest(
                target: path,
                headers: [Header("content-type", "application/x-www-form-urlencoded")],
                body: Array("id=\(MollieEntity.paymentID(event.transaction))".utf8))
        }
        let body = try body(event)
        let code = Hex.encode(key.code(parts: [body[...]]))
        return OutboundRequest(
            target: path,
            headers: [
                Header("content-type", "application/json; charset=utf-8"),
                Header("x-mollie-signature", "sha256=\(code)"),
            ], body: body)
    }

    package func absence(of type: EventType) -> String? {
        switch type {
        case .tryFailed: "Mollie reports a payment that failed, and no single try"
        case .disputed, .disputeClosed: "Mollie reports a chargeback when the money is gone"
        case .reversed: "Mollie undoes nothing but by a refund"
        case .ignored where kind == .classic: "every call of Mollie is about a payment"
        default: nil
        }
    }

    package var marksTests: Bool { kind == .signed }

    /// Exactly 200, within 15 seconds (documented).
    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        status == 200 ? .accepted : .sendsAgain("status \(status), Mollie asks for 200")
    }

    /// Documented: ten calls in all.
    package let publishedRetrySchedule: [Duration] =
        [1, 2, 4, 8, 16, 29].map { .minutes($0) } + [1, 2, 22].map { .hours($0) }

    private func body(_ event: SampleEvent) throws(SenderError) -> [UInt8] {
        let (kind, word) = try Self.words(event.type)
        let id = SampleEvent.identifier(
            event.type.rawValue, event.transaction, event.actionID, event.occurred.rfc3339)
        let entityID =
            kind == "payment" ? MollieEntity.paymentID(event.transaction) : event.actionID
        var json = JSONWriter(reserving: 768)
        json.object { json in
            json.member("resource", "event")
            json.member("id", "event_\(id)")
            json.member("type", event.type == .ignored ? "profile.verified" : "\(kind).\(word)")
            json.member("entityId", entityID)
            json.member("createdAt", event.occurred.wholeSeconds.rfc3339)
            guard event.type != .ignored else { return }
            json.object("_embedded") { json in
                json.object("entity") {
                    MollieEntity.write(event, kind, word, isTest: event.isTest, to: &$0)
                }
            }
        }
        return json.bytes
    }

    private static func words(
        _ type: EventType
    ) throws(SenderError) -> (kind: String, word: String) {
        switch type {
        case .pending, .authorized, .paid, .failed, .canceled, .expired: ("payment", type.rawValue)
        case .captured: ("capture", "succeeded")
        case .captureFailed: ("capture", "failed")
        case .refundPending: ("refund", "processing")
        case .refunded: ("refund", "refunded")
        case .refundFailed: ("refund", "failed")
        case .chargedBack: ("chargeback", "received")
        case .disputeWon: ("chargeback", "reversed")
        case .ignored: ("profile", "verified")
        default: throw .unsupported(type)
        }
    }
}

/// The entities of Mollie's interface, as events embed them and answers list them.
enum MollieEntity {
    /// The id of a payment, which has a prefix.
    static func paymentID(_ transaction: String) -> String {
        transaction.hasPrefix("tr_") ? transaction : "tr_\(transaction)"
    }

    /// Writes the members of a payment, capture, refund or chargeback.
    static func write(
        _ event: SampleEvent, _ kind: String, _ word: String, created: Timestamp? = nil,
        isTest: Bool, to json: inout JSONWriter
    ) {
        json.member("resource", kind)
        json.member("id", kind == "payment" ? paymentID(event.transaction) : event.actionID)
        json.member("mode", isTest ? "test" : "live")
        json.member("createdAt", (created ?? event.occurred).wholeSeconds.rfc3339)
        write(event.money, as: "amount", to: &json)
        guard kind == "payment" else {
            json.member("paymentId", paymentID(event.transaction))
            if kind == "chargeback", word == "reversed" {
                json.member("reversedAt", event.occurred.wholeSeconds.rfc3339)
            } else if kind != "chargeback" {
                json.member("status", word)
            }
            return
        }
        json.member("description", "Order \(event.reference)")
        json.member("method", "ideal")
        json.object("metadata") { $0.member("order_id", event.reference) }
        json.member("status", word)
    }

    static func write(_ money: Money, as name: String, to json: inout JSONWriter) {
        json.object(name) {
            $0.member("currency", money.currency.code)
            $0.member("value", money.decimal)
        }
    }
}
