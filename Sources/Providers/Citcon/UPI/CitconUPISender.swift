import Bytes
import JSON
import Payments

/// Citcon UPI's side of a notification: a flat body with the list of its signed fields and the
/// digest over them.
package struct CitconUPISender: Sender {
    private let secret: [UInt8]

    /// - Throws: ``SettingsError`` without a secret.
    package init(settings: EndpointSettings) throws(SettingsError) {
        secret = try settings.senderSecret()
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        let (type, status) = try Self.words(event.type)
        let time = event.occurred.wholeSeconds.rfc3339
        let digits = try event.digits()
        // It is not documented whether a refund carries its own id or the charge's. Here it has its
        // own and also names the charge.
        let isCharge = type == "charge" || type == "vault"
        let list =
            "id,transaction_type,reference,amount,currency,status,time_completed,time_created,"
            + "payment_method,amount_captured,amount_refunded" + (isCharge ? "" : ",transaction_id")
        var pairs = [
            ("id", isCharge ? event.transaction : event.actionID),
            ("transaction_type", type),
            ("reference", event.reference),
            ("amount", digits),
            ("currency", event.money.currency.code),
            ("status", status),
            ("time_created", time),
            ("time_completed", time),
            ("payment_method", "alipay"),
            ("amount_captured", event.type == .captured ? digits : ""),
            ("amount_refunded", type == "refund" ? digits : ""),
            ("fields", list),
        ]
        if !isCharge { pairs.append(("transaction_id", event.transaction)) }
        let sign = CitconUPI.sign(ListedFields.signedText(pairs), secret: secret)
        var json = JSONWriter(reserving: 768)
        json.object { json in
            for (name, value) in pairs where name != "amount" { json.member(name, value) }
            json.member("amount", event.money.minor)
            json.member("sign", String(decoding: sign, as: UTF8.self))
        }
        return OutboundRequest(
            target: path, headers: [Header("content-type", "application/json")], body: json.bytes)
    }

    /// Citcon's demos answer with status 200; nothing more is documented.
    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        status == 200 ? .accepted : .sendsAgain("status \(status), Citcon asks for 200")
    }

    /// "Reliable with build-in retry mechanism": no times are published.
    package let publishedRetrySchedule: [Duration] = []

    private static func words(
        _ type: EventType
    ) throws(SenderError) -> (type: String, status: String) {
        switch type {
        case .pending: ("charge", "pending")
        case .authorized: ("charge", "authorized")
        case .paid: ("charge", "success")
        case .captured: ("charge", "captured")
        case .failed: ("charge", "fail")
        case .canceled: ("charge", "cancelled")
        case .expired: ("charge", "expired")
        case .refundPending: ("refund", "pending")
        case .refunded: ("refund", "success")
        case .refundFailed: ("refund", "fail")
        case .disputed: ("chargeback", "Notification of Claim")
        case .disputeClosed: ("chargeback", "Case Closed")
        case .disputeWon: ("chargeback", "Won")
        case .chargedBack: ("chargeback", "Lost")
        case .ignored: ("vault", "success")
        case .captureFailed, .tryFailed: throw .unsupported(type)
        }
    }
}
