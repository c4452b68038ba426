import Bytes
import Cryptography
import JSON
import Payments

/// ecommpay's side of `/v2/payment/status`: returns every operation of the payment, signed like a
/// callback.
package struct EcommpayResponder: Responder {
    private let ecommpay: Ecommpay
    private let secret: [UInt8]
    private let projectID: Int64

    /// - Throws: ``SettingsError`` without a secret or the project's number.
    package init(settings: EndpointSettings) throws(SettingsError) {
        secret = try settings.senderSecret()
        guard let id = settings[Ecommpay.projectID].flatMap({ Int64($0) }) else {
            throw Ecommpay.projectID.error(
                "the project's number is needed to answer as ecommpay")
        }
        projectID = id
        ecommpay = try Ecommpay(
            settings: EndpointSettings(
                name: "merchant",
                [
                    SettingRow.secrets.row.key: .secrets([secret]),
                    Ecommpay.projectID.row.key: .text(String(id)),
                ]))
    }

    package let signsAnswers = true

    package func serves(_ request: InquiryRequest) -> Bool {
        request.path == "/v2/payment/status"
    }

    /// Status answers contain no chargebacks.
    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool {
        event.kind != "dispute"
    }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        do throws(Refusal) {
            _ = try ecommpay.verify(
                SignedRequest(path: [], headers: [], body: request.body, received: moment.now))
        } catch {
            let isProject = error.reason == "project_id_mismatch"
            let body =
                isProject
                ? #"{"status":"error","code":"2442","message":"Project not found"}"#
                : #"{"status":"error","code":"3261","message":"Invalid signature"}"#
            return InquiryAnswer(status: 400, Array(body.utf8), at: moment)
        }
        let asked = try? JSONDocument(parsing: request.body).root["general"]?["payment_id"]
        guard let life = asked?.word.flatMap({ find(.reference, $0) }), !life.payments.isEmpty
        else {
            let body =
                #"{"payment":{"status":"error"},"errors":[{"code":"3061","#
                + #""message":"Transaction not found","field":"","description":""}]}"#
            return InquiryAnswer(Array(body.utf8), at: moment)
        }
        guard let body = signed(life) else { return InquiryAnswer(status: 500, [], at: moment) }
        return InquiryAnswer(body, at: moment)
    }

    private func signed(_ life: SampleLife) -> [UInt8]? {
        guard let document = try? JSONDocument(parsing: body(life, signature: nil)),
            let leaves = try? EcommpayLeaves(of: document.root)
        else { return nil }
        let text = EcommpayText.text(leaves, order: .natural)
        let signature = Base64.encode(HMAC.code(.sha512, key: secret, message: text))
        return body(life, signature: signature)
    }

    private func body(_ life: SampleLife, signature: String?) -> [UInt8] {
        let payments = life.payments
        let operations = payments.flatMap { payment in
            [payment.event(life.reference)].compactMap(\.self)
                + payment.operations.filter { $0.kind != "dispute" }
        }
        var json = JSONWriter(reserving: 1024)
        json.object { json in
            json.member("project_id", projectID)
            json.object("payment") { json in
                json.member("id", life.reference)
                json.member("type", "purchase")
                json.member("status", Self.status(payments))
                json.member("method", "card")
                if let last = payments.last { Self.sum("sum", last.money, &json) }
            }
            json.array("operations", operations) { json, event in
                guard let sample = try? EcommpaySample(event) else { return }
                sample.writeOperation(event, to: &json)
            }
            if let signature { json.member("signature", signature) }
        }
        return json.bytes
    }

    /// The overall status: the latest try decides, then the captured and the refunded sum.
    private static func status(_ payments: [SamplePayment]) -> String {
        guard let last = payments.last else { return "processing" }
        let taken = last.captured ?? (last.status == .paid ? last.money.minor : 0)
        if last.refunded > 0 {
            return last.refunded < taken ? "partially refunded" : "refunded"
        }
        if taken > 0 { return "success" }
        return switch last.status {
        case .authorized: "awaiting capture"
        case .failed: "decline"
        case .canceled: "canceled"
        case .expired: "expired"
        default: "processing"
        }
    }

    private static func sum(_ name: String, _ money: Money, _ json: inout JSONWriter) {
        json.object(name) {
            $0.member("amount", money.minor)
            $0.member("currency", money.currency.code)
        }
    }
}
