import Bytes
import Cryptography
import JSON
import Payments

/// Midtrans' part: bodies of which three values are hashed with the server key.
package struct MidtransSender: Sender {
    private let secret: [UInt8]
    private let merchantID: String

    /// - Throws: ``SettingsError`` without a server key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        secret = Array(try settings.senderSecret().trimmingWhiteSpace)
        merchantID = settings[Midtrans.merchantID] ?? "G000000001"
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        let body = try Self.body(event, merchantID, secret)
        return OutboundRequest(
            target: path,
            headers: [
                Header("content-type", "application/json"), Header("user-agent", "Veritrans"),
            ], body: body)
    }

    package func absence(of type: EventType) -> String? {
        switch type {
        case .tryFailed: "each try of Midtrans is a transaction of its own"
        case .captureFailed: "Midtrans reports no capture that failed"
        case .refundPending, .refundFailed: "Midtrans reports a refund when it is made"
        case .disputed, .disputeClosed, .disputeWon:
            "Midtrans reports a chargeback when the money is gone"
        case .reversed: "Midtrans undoes nothing but by a refund or a cancellation"
        case .ignored: "every notification of Midtrans is about a transaction"
        default: nil
        }
    }

    /// Any 2xx, within 15 seconds (documented).
    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        (200..<300).contains(status)
            ? .accepted : .sendsAgain("status \(status), Midtrans asks for 2xx")
    }

    /// Documented for most failures, with a random shift.
    package let publishedRetrySchedule: [Duration] = [2, 10, 30, 90, 210].map { .minutes($0) }

    // MARK: Bodies

    /// The body of a notification, and of an answer about the same.
    ///
    /// - Parameter refunds: All refunds so far; nil for `event` alone.
    static func body(
        _ event: SampleEvent, _ merchantID: String, _ secret: [UInt8],
        refunds: [SampleEvent]? = nil
    ) throws(SenderError) -> [UInt8] {
        _ = try event.digits()
        let (status, code) = try words(event)
        let total = event.paid ?? event.money
        guard total.currency.exponent == 2 else { throw .unrepresentableAmount }
        let signed = [event.reference, code, total.decimal].map { Array($0.utf8)[...] }
        var json = JSONWriter(reserving: 768)
        json.object { json in
            json.member("transaction_time", MidtransInterpretation.text(event.occurred))
            json.member("transaction_status", status)
            json.member("transaction_id", event.transaction)
            json.member("status_message", "midtrans payment notification")
            json.member("status_code", code)
            json.member(
                "signature_key",
                String(decoding: Midtrans.signature(of: signed, secret), as: UTF8.self))
            json.member("payment_type", "credit_card")
            json.member("order_id", event.reference)
            json.member("merchant_id", merchantID)
            json.member("gross_amount", total.decimal)
            json.member("fraud_status", status == "deny" ? "deny" : "accept")
            json.member("currency", total.currency.code)
            guard event.type == .refunded else { return }
            json.member("refund_amount", (event.refundedSoFar ?? event.money).decimal)
            json.array("refunds", refunds ?? [event]) { json, refund in
                json.member("refund_chargeback_id", refund.actionID)
                json.member("refund_amount", refund.money.decimal)
                json.member("created_at", MidtransInterpretation.text(refund.occurred))
                json.member("refund_key", "\(refund.reference)-R\(refund.number)")
            }
        }
        return json.bytes
    }

    private static func words(
        _ event: SampleEvent
    ) throws(SenderError) -> (status: String, code: String) {
        switch event.type {
        case .pending: return ("pending", "201")
        case .authorized: return ("authorize", "200")
        case .paid: return ("settlement", "200")
        case .captured: return ("capture", "200")
        case .failed: return ("deny", "202")
        case .canceled: return ("cancel", "200")
        case .expired: return ("expire", "407")
        case .refunded:
            let total = event.paid ?? event.money
            let isWhole = (event.refundedSoFar ?? event.money).minor >= total.minor
            return (isWhole ? "refund" : "partial_refund", "200")
        case .chargedBack: return ("chargeback", "200")
        default: throw .unsupported(event.type)
        }
    }
}
