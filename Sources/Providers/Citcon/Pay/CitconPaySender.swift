import Bytes
import Payments

/// Citcon Pay's side of a notification: a form with the list of its signed fields and the digest
/// over them.
package struct CitconPaySender: Sender {
    private let token: [UInt8]

    /// - Throws: ``SettingsError`` without a token.
    package init(settings: EndpointSettings) throws(SettingsError) {
        token = try settings.senderSecret()
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        let (type, status) = try Self.words(event.type)
        let isRefund = type == "refund"
        let list = "id,amount,currency,notify_status,notify_id,partner_id,reference,time,type"
        var pairs = [
            ("id", isRefund ? event.actionID : event.transaction),
            ("amount", try event.digits()),
            ("currency", event.money.currency.code),
            ("notify_status", status),
            ("notify_id", SampleEvent.identifier("notify", event.transaction, status)),
            ("partner_id", "citcon"),
            ("reference", event.reference),
            ("time", Self.time(event.occurred)),
            ("type", type),
            ("fields", list),
        ]
        let sign = CitconPay.sign(ListedFields.signedText(pairs), token: token)
        pairs.append(("sign", String(decoding: sign, as: UTF8.self)))
        let body = pairs.map { "\($0)=\(PercentEncoding.encode(Array($1.utf8)))" }
        return OutboundRequest(
            target: path,
            headers: [Header("content-type", "application/x-www-form-urlencoded")],
            body: Array(body.joined(separator: "&").utf8))
    }

    package func absence(of type: EventType) -> String? {
        switch type {
        case .authorized, .captured, .captureFailed:
            "Citcon Pay takes payments at once: it sends nothing about authorizations and captures"
        case .disputed, .disputeClosed, .disputeWon, .chargedBack:
            "Citcon Pay sends no notification of disputes and chargebacks"
        case .expired: "Citcon Pay has no word for expired"
        default: nil
        }
    }

    /// "return ok" (Citcon's demo).
    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        guard status == 200 else { return .sendsAgain("status \(status), Citcon asks for 200") }
        guard body.elementsEqual("ok".utf8) else { return .sendsAgain("the body is not ok") }
        return .accepted
    }

    /// Citcon Pay retries, but publishes no times.
    package let publishedRetrySchedule: [Duration] = []

    /// The time as the gateway writes it: `2017-06-22 13:23:12`, without a zone.
    private static func time(_ moment: Timestamp) -> String {
        String(moment.wholeSeconds.rfc3339.dropLast().map { $0 == "T" ? " " : $0 })
    }

    private static func words(
        _ type: EventType
    ) throws(SenderError) -> (type: String, status: String) {
        switch type {
        case .pending: ("charge", "NULL")
        case .paid: ("charge", "success")
        case .failed: ("charge", "fail")
        case .canceled: ("charge", "cancel")
        case .refunded: ("refund", "success")
        case .refundPending: ("refund", "NULL")
        case .refundFailed: ("refund", "fail")
        case .authorized, .expired, .captured, .captureFailed, .disputed, .disputeClosed,
            .disputeWon, .chargedBack, .tryFailed, .ignored:
            throw .unsupported(type)
        }
    }
}
