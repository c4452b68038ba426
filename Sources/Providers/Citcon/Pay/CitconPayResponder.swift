import Bytes
import JSON
import Payments

/// Citcon Pay's side of `/payment/inquire`: one charge, and only the total of its refunds.
package struct CitconPayResponder: Responder {
    private let token: String

    /// - Throws: ``SettingsError`` without a token.
    package init(settings: EndpointSettings) throws(SettingsError) {
        token = try settings.headerText(
            "token", String(decoding: settings.senderSecret(), as: UTF8.self))
    }

    package func serves(_ request: InquiryRequest) -> Bool { request.path == "/payment/inquire" }

    /// Answers carry the total of the refunds, so a single refund is only reported by its
    /// notification.
    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool {
        event.kind == "payment" && isLatest(event, of: life)
    }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        guard request.isBearer(token) else {
            return InquiryAnswer(status: 401, Array("{}".utf8), at: moment)
        }
        let payment: SamplePayment?
        let life: SampleLife?
        if let id = InquiryRequest.field("transaction_id", in: request.body) {
            life = find(.transaction, id)
            payment = life?.payments.last { $0.transaction == id }
        } else {
            life = InquiryRequest.field("reference", in: request.body)
                .flatMap { find(.reference, $0) }
            payment = life?.payments.last
        }
        guard let life, let payment, payment.status != nil else {
            return InquiryAnswer(Array("{}".utf8), at: moment)
        }
        return InquiryAnswer(Self.charge(payment, of: life), at: moment)
    }

    private static func charge(_ payment: SamplePayment, of life: SampleLife) -> [UInt8] {
        var json = JSONWriter(reserving: 384)
        json.object { json in
            json.member("id", payment.transaction)
            json.member("type", "charge")
            json.member("amount", payment.money.minor)
            json.member("time", payment.changed.wholeSeconds.rfc3339)
            json.member("reference", life.reference)
            let status: String? =
                switch payment.status {
                case .paid: "success"
                case .failed: "fail"
                case .canceled: "cancel"
                case .authorized: "authorized"
                default: nil
                }
            json.member("status", status)
            json.member("currency", payment.money.currency.code)
            json.member("note", "")
            if payment.refunded > 0 {
                let isWhole = payment.refunded >= payment.money.minor
                json.member("refund_status", isWhole ? "refunded" : "partial")
                json.member("refunded_amount", payment.refunded)
            }
        }
        return json.bytes
    }
}
