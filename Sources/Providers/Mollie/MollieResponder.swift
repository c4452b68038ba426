import Bytes
import JSON
import Payments

/// Mollie's side of a question: the payment with everything that happened to it.
package struct MollieResponder: Responder {
    private let apiKey: String

    /// - Throws: ``SettingsError`` without an API key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        apiKey = try settings.headerText(Mollie.apiKey)
    }

    package func serves(_ request: InquiryRequest) -> Bool {
        request.path.hasPrefix(MollieInquirer.path)
    }

    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool {
        event.kind != "other"
    }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        guard request.isBearer(apiKey) else {
            let body = #"{"status":401,"title":"Unauthorized Request"}"#
            return InquiryAnswer(status: 401, Array(body.utf8), at: moment)
        }
        let id = String(request.path.dropFirst(MollieInquirer.path.count))
        let names = [id, String(id.dropFirst(3))]
        for name in names {
            guard let life = find(.transaction, name),
                let payment = life.payments.last(where: {
                    MollieEntity.paymentID($0.transaction) == id
                }), let body = body(payment, life)
            else { continue }
            return InquiryAnswer(body, at: moment)
        }
        let body = #"{"status":404,"title":"Not Found"}"#
        return InquiryAnswer(status: 404, Array(body.utf8), at: moment)
    }

    private func body(_ payment: SamplePayment, _ life: SampleLife) -> [UInt8]? {
        guard let event = payment.event(life.reference) else { return nil }
        let isTest = apiKey.hasPrefix("test_")
        let word =
            switch event.type {
            case .authorized where payment.captured != nil: "paid"
            case .tryFailed: "failed"
            case .pending, .authorized, .paid, .failed, .canceled, .expired: event.type.rawValue
            default: "open"
            }
        var json = JSONWriter(reserving: 1024)
        json.object { json in
            MollieEntity.write(event, "payment", word, isTest: isTest, to: &json)
            if let captured = payment.captured {
                MollieEntity.write(
                    Money(minor: captured, currency: event.money.currency), as: "amountCaptured",
                    to: &json)
            }
            let refunds = payment.operations("refund").filter { $0.type != .refundFailed }
            MollieEntity.write(
                Money(
                    minor: refunds.reduce(0) { $0 + $1.money.minor },
                    currency: event.money.currency), as: "amountRefunded", to: &json)
            json.object("_embedded") { json in
                Self.write(payment.operations("capture"), "captures", "capture", isTest, to: &json)
                Self.write(payment.operations("refund"), "refunds", "refund", isTest, to: &json)
                Self.write(
                    payment.operations("dispute"), "chargebacks", "chargeback", isTest, to: &json)
            }
        }
        return json.bytes
    }

    private static func write(
        _ operations: [SampleEvent], _ list: String, _ kind: String, _ isTest: Bool,
        to json: inout JSONWriter
    ) {
        json.array(list, operations) { json, operation in
            let word =
                switch operation.type {
                case .captured: "succeeded"
                case .captureFailed, .refundFailed: "failed"
                case .refunded: "refunded"
                case .refundPending: "processing"
                case .disputeWon: "reversed"
                default: "received"
                }
            MollieEntity.write(operation, kind, word, isTest: isTest, to: &json)
        }
    }
}
