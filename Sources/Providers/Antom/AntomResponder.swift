import Bytes
import Cryptography
import JSON
import Payments

/// Antom's side of `inquiryPayment`: verifies the question with the merchant's key and signs the
/// answer with Antom's.
///
/// A request id belongs to one payment, so a reference is answered with its latest payment. No
/// answer contains disputes.
package struct AntomResponder: Responder {
    private let merchant: Antom
    private let clientID: String
    private let key: RSAPrivateKey
    private let keyVersion: Int

    /// - Throws: ``SettingsError`` without a client id, or without the private key of either side.
    package init(settings: EndpointSettings) throws(SettingsError) {
        guard let clientID = settings[Antom.clientID], let text = settings[Antom.privateKey],
            let pem = settings[SettingRow.senderKey]
        else {
            throw SettingsError(
                key: "privateKey",
                message: "the client id, the merchant's and Antom's private key are needed")
        }
        let merchantKey: RSAPrivateKey
        do throws(KeyError) {
            merchantKey = try RSAPrivateKey(text: text)
            key = try RSAPrivateKey(pem: pem)
        } catch {
            throw SettingsError(key: "privateKey", message: "\(error)")
        }
        merchant = try Antom(
            settings: EndpointSettings(
                name: "merchant",
                [
                    Antom.clientID.row.key: .text(clientID),
                    SettingRow.keys.row.key: .keys([
                        VersionedKey(
                            version: settings[Antom.keyVersion] ?? 1,
                            text: merchantKey.publicKeyPEM)
                    ]),
                ]))
        self.clientID = clientID
        keyVersion = settings.keys.first?.version ?? 1
    }

    private static let calls = [
        "/ams/api/v1/payments/inquiryPayment", "/ams/sandbox/api/v1/payments/inquiryPayment",
    ]

    package let signsAnswers = true

    package func serves(_ request: InquiryRequest) -> Bool {
        Self.calls.contains { $0 == request.path }
    }

    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool {
        event.kind != "dispute" && isLatest(event, of: life)
    }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        do throws(Refusal) {
            let delivery = SignedRequest(
                path: Array(request.path.utf8)[...], headers: request.headers, body: request.body,
                received: moment.now)
            _ = try merchant.verify(delivery, time: try delivery.single("request-time"))
        } catch {
            // The sender is not authenticated, so the answer is not signed.
            return InquiryAnswer(Self.result("INVALID_SIGNATURE", "F"), at: moment)
        }
        let root = try? JSONDocument(parsing: request.body).root
        let body: [UInt8]
        if let id = root?["paymentId"]?.word {
            body = Self.body(find(.transaction, id)) { $0.transaction == id }
        } else if let reference = root?["paymentRequestId"]?.word {
            body = Self.body(find(.reference, reference)) { _ in true }
        } else {
            body = Self.result("PARAM_ILLEGAL", "F")
        }
        return signed(body, request, moment)
    }

    private func signed(
        _ body: [UInt8], _ request: InquiryRequest, _ moment: ResponderMoment
    ) -> InquiryAnswer {
        let time = moment.now.wholeSeconds.rfc3339
        let content = Array("\(request.method) \(request.path)\n\(clientID).\(time).".utf8) + body
        guard let signature = try? key.signSHA256(content) else {
            return InquiryAnswer(status: 500, [], at: moment)
        }
        let value = PercentEncoding.encode(Array(Base64.encode(signature).utf8))
        return InquiryAnswer(
            body,
            headers: [
                Header("client-id", clientID), Header("response-time", time),
                Header(
                    "signature", "algorithm=RSA256,keyVersion=\(keyVersion),signature=\(value)"),
            ], at: moment)
    }

    private static func result(_ code: String, _ status: String) -> [UInt8] {
        var json = JSONWriter(reserving: 128)
        json.object { write(code, status, &$0) }
        return json.bytes
    }

    private static func write(_ code: String, _ status: String, _ json: inout JSONWriter) {
        json.object("result") {
            $0.member("resultCode", code)
            $0.member("resultStatus", status)
            $0.member("resultMessage", status == "S" ? "success." : "The call failed.")
        }
    }

    // MARK: The payment

    private static func body(
        _ life: SampleLife?, where isAsked: (SamplePayment) -> Bool
    ) -> [UInt8] {
        guard let life, let payment = life.payments.last(where: isAsked),
            let status = payment.status
        else { return result("ORDER_NOT_EXIST", "F") }
        let isTaken = payment.captured != nil
        let (word, code) = words(status)
        var json = JSONWriter(reserving: 1024)
        json.object { json in
            write("SUCCESS", "S", &json)
            json.member("paymentStatus", word)
            json.member("paymentResultCode", code)
            json.member("paymentRequestId", life.reference)
            json.member("paymentId", payment.transaction)
            if word != "FAIL" { amount("paymentAmount", payment.money, &json) }
            json.member("paymentCreateTime", payment.began.wholeSeconds.rfc3339)
            if word == "SUCCESS" {
                json.member("paymentTime", payment.changed.wholeSeconds.rfc3339)
                json.member("paymentMethodType", "GCASH")
            }
            if status == .authorized {
                json.member("authReviewStatus", isTaken ? "ACCEPT" : "PROCESSING")
            }
            let operations = payment.operations.filter { $0.kind != "dispute" }
            guard !operations.isEmpty else { return json.null("transactions") }
            json.array("transactions", operations) { operation(&$0, $1) }
        }
        return json.bytes
    }

    private static func words(_ status: EventType) -> (status: String, code: String) {
        switch status {
        case .authorized, .paid: ("SUCCESS", "SUCCESS")
        case .failed: ("FAIL", "PROCESS_FAIL")
        case .canceled: ("CANCELLED", "ORDER_IS_CANCELLED")
        case .expired: ("CANCELLED", "ORDER_IS_CLOSED")
        default: ("PENDING", "PAYMENT_IN_PROCESS")
        }
    }

    private static func operation(_ json: inout JSONWriter, _ event: SampleEvent) {
        let isCapture = event.kind == "capture"
        json.member("transactionType", isCapture ? "CAPTURE" : "REFUND")
        json.member(
            "transactionStatus",
            event.status == "succeeded" ? "SUCCESS" : event.status == "failed" ? "FAIL" : "PENDING")
        json.member("transactionId", event.actionID)
        json.member(
            "transactionRequestId",
            "\(event.reference)-\(isCapture ? "C" : "R")\(event.number)")
        amount("transactionAmount", event.money, &json)
        json.member("transactionTime", event.occurred.wholeSeconds.rfc3339)
    }

    private static func amount(_ name: String, _ money: Money, _ json: inout JSONWriter) {
        json.object(name) {
            $0.member("value", String(money.minor))
            $0.member("currency", money.currency.code)
        }
    }
}
