import JSON
import Payments

/// Writes the body that Antom sends for a ``SampleEvent``, laid out like genuine ones: compact,
/// members in alphabetical order.
struct AntomSample {
    let event: SampleEvent

    func body() throws(SenderError) -> [UInt8] {
        let digits = try event.digits()
        var json = JSONWriter(reserving: 512)
        json.beginObject()
        switch event.type {
        case .pending: payment("PAYMENT_PENDING", "SUCCESS", "S", digits, &json)
        case .authorized:
            // An authorisation under Antom's review: its only notification that does not report a
            // payment.
            json.member("authReviewStatus", "PROCESSING")
            payment("PAYMENT_RESULT", "SUCCESS", "S", digits, &json)
        case .paid: payment("PAYMENT_RESULT", "SUCCESS", "S", digits, &json)
        case .failed: payment("PAYMENT_RESULT", "PROCESS_FAIL", "F", nil, &json)
        case .canceled: payment("PAYMENT_RESULT", "ORDER_IS_CANCELLED", "F", nil, &json)
        // "A payment notification comes when it is successful or expires" (notifyPayment).
        case .expired: payment("PAYMENT_RESULT", "ORDER_IS_CLOSED", "F", nil, &json)
        case .captured: capture("SUCCESS", "S", digits, &json)
        case .captureFailed: capture("PROCESS_FAIL", "F", digits, &json)
        case .refunded: refund("SUCCESS", digits, &json)
        case .refundFailed: refund("FAIL", digits, &json)
        case .disputed: dispute("DISPUTE_CREATED", nil, digits, &json)
        case .disputeClosed: dispute("DISPUTE_CANCELLED", nil, digits, &json)
        case .disputeWon: dispute("DISPUTE_JUDGED", "ACCEPT_BY_CUSTOMER", digits, &json)
        case .chargedBack: dispute("DISPUTE_JUDGED", "ACCEPT_BY_MERCHANT", digits, &json)
        case .ignored: agreement(&json)
        case .refundPending, .tryFailed: throw .unsupported(event.type)
        }
        json.endObject()
        return json.bytes
    }

    private var time: String { event.occurred.wholeSeconds.rfc3339 }

    private func payment(
        _ type: String, _ code: String, _ status: String, _ digits: String?,
        _ json: inout JSONWriter
    ) {
        json.member("notifyType", type)
        if let digits { amount("paymentAmount", digits, &json) }
        json.member("paymentCreateTime", time)
        json.member("paymentId", event.transaction)
        json.member("paymentRequestId", event.reference)
        if status == "S" {
            json.member("paymentTime", time)
            json.object("pspCustomerInfo") { $0.member("pspName", "GCASH") }
        }
        result(code, status, &json)
    }

    private func capture(
        _ code: String, _ status: String, _ digits: String, _ json: inout JSONWriter
    ) {
        amount("captureAmount", digits, &json)
        json.member("captureId", event.actionID)
        json.member("captureRequestId", "\(event.reference)-C\(event.number)")
        json.member("captureTime", time)
        json.member("notifyType", "CAPTURE_RESULT")
        json.member("paymentId", event.transaction)
        result(code, status, &json)
    }

    private func refund(_ status: String, _ digits: String, _ json: inout JSONWriter) {
        json.member("notifyType", "REFUND_RESULT")
        json.member("paymentId", event.transaction)
        amount("refundAmount", digits, &json)
        json.member("refundId", event.actionID)
        json.member("refundRequestId", "\(event.reference)-R\(event.number)")
        json.member("refundStatus", status)
        json.member("refundTime", time)
        result("SUCCESS", "S", &json)
    }

    private func dispute(
        _ type: String, _ judged: String?, _ digits: String, _ json: inout JSONWriter
    ) {
        amount("disputeAmount", digits, &json)
        json.member("disputeId", event.actionID)
        if let judged {
            amount("disputeJudgedAmount", digits, &json)
            json.member("disputeJudgedResult", judged)
            json.member("disputeJudgedTime", time)
        }
        json.member("disputeNotificationType", type)
        json.member("disputeTime", time)
        json.member("paymentId", event.transaction)
        json.member("paymentRequestId", event.reference)
    }

    private func agreement(_ json: inout JSONWriter) {
        json.member("authState", event.reference)
        json.member("authorizationNotifyType", "TOKEN_CANCELED")
        result("SUCCESS", "S", &json)
    }

    private func amount(_ name: String, _ digits: String, _ json: inout JSONWriter) {
        json.object(name) {
            $0.member("currency", event.money.currency.code)
            $0.member("value", digits)
        }
    }

    private func result(_ code: String, _ status: String, _ json: inout JSONWriter) {
        json.object("result") {
            $0.member("resultCode", code)
            $0.member("resultMessage", Self.message(code))
            $0.member("resultStatus", status)
        }
    }

    private static func message(_ code: String) -> String {
        switch code {
        case "SUCCESS": "success."
        case "ORDER_IS_CLOSED": "The order is closed."
        case "ORDER_IS_CANCELLED": "The order is canceled."
        default: "General business failure."
        }
    }
}
