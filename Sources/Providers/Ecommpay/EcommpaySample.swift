import JSON
import Payments

/// The callback that ecommpay sends for a ``SampleEvent``, laid out like the documented example.
struct EcommpaySample {
    let operationType: String
    let operationStatus: String
    let paymentStatus: String

    init(_ event: SampleEvent) throws(SenderError) {
        _ = try event.digits()
        (operationType, operationStatus, paymentStatus) =
            switch event.type {
            case .pending: ("sale", "processing", "processing")
            case .authorized: ("auth", "success", "awaiting capture")
            case .paid: ("sale", "success", "success")
            case .failed: ("sale", "decline", "decline")
            case .canceled: ("cancel", "success", "canceled")
            case .expired: ("sale", "expired", "expired")
            case .captured: ("capture", "success", "success")
            case .captureFailed: ("capture", "decline", "awaiting capture")
            case .refundPending: ("refund", "processing", "success")
            case .refunded: ("refund", "success", "partially refunded")
            case .refundFailed: ("refund", "decline", "success")
            case .ignored: ("payout", "success", "success")
            case .disputed, .disputeClosed, .disputeWon, .chargedBack, .tryFailed:
                throw .unsupported(event.type)
            }
    }

    func body(_ event: SampleEvent, projectID: Int64, signature: String?) -> [UInt8] {
        let date = Self.date(event)
        var json = JSONWriter(reserving: 768)
        json.object { json in
            json.member("project_id", projectID)
            json.object("payment") { json in
                json.member("id", event.reference)
                json.member("type", operationType == "payout" ? "payout" : "purchase")
                json.member("status", paymentStatus)
                json.member("date", date)
                json.member("method", "card")
                Self.sum("sum", event.money, &json)
                json.member("description", "")
            }
            json.object("operation") { writeOperation(event, to: &$0) }
            if let signature { json.member("signature", signature) }
        }
        return json.bytes
    }

    /// Writes the members of `operation`, or of an element of `operations` in an inquiry's answer.
    func writeOperation(_ event: SampleEvent, to json: inout JSONWriter) {
        let date = Self.date(event)
        let isSale = operationType == "sale" || operationType == "auth"
        json.member("id", isSale ? event.transaction : event.actionID)
        json.member("type", operationType)
        json.member("status", operationStatus)
        json.member("date", date)
        json.member("created_date", date)
        Self.sum("sum_initial", event.money, &json)
        Self.sum("sum_converted", event.money, &json)
        json.member("code", operationStatus == "decline" ? "20105" : "0")
        json.member("message", operationStatus == "success" ? "Success" : "")
    }

    /// The time as `2023-03-10T12:26:17+0000`.
    private static func date(_ event: SampleEvent) -> String {
        String(event.occurred.wholeSeconds.rfc3339.dropLast()) + "+0000"
    }

    private static func sum(_ name: String, _ money: Money, _ json: inout JSONWriter) {
        json.object(name) {
            $0.member("amount", money.minor)
            $0.member("currency", money.currency.code)
        }
    }
}
