import Bytes
import Cryptography
import JSON
import Payments

/// Alipay's side of a query: verifies the question with the app's key and signs the answer with its
/// own.
package struct AlipayResponder: Responder {
    private let appID: String
    private let appKey: RSAPublicKey
    private let key: RSAPrivateKey

    /// - Throws: ``SettingsError`` without the app's id, or without the private key of either side.
    package init(settings: EndpointSettings) throws(SettingsError) {
        guard let appID = settings[Alipay.appID], let text = settings[Alipay.privateKey],
            let pem = settings[SettingRow.senderKey]
        else { throw Alipay.privateKey.error("the app's id and both private keys are needed") }
        do throws(KeyError) {
            appKey = try RSAPublicKey(text: RSAPrivateKey(text: text).publicKeyPEM)
            key = try RSAPrivateKey(pem: pem)
        } catch {
            throw Alipay.privateKey.error("\(error)")
        }
        self.appID = appID
    }

    package let signsAnswers = true

    package func serves(_ request: InquiryRequest) -> Bool {
        request.path == AlipayInquirer.path
    }

    /// Of refunds an answer says only that everything was refunded.
    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool {
        guard isLatest(event, of: life) else { return false }
        if event.kind == "payment" { return true }
        guard event.type == .refunded, let payment = life.payments.last else { return false }
        return payment.refunded >= payment.money.minor
    }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        guard isApps(request), request.parameter("method") == AlipayInquirer.method,
            let text = InquiryRequest.field("biz_content", in: request.body),
            let content = try? JSONDocument(parsing: Array(text.utf8)).root
        else {
            let body =
                #"{"code":"40002","msg":"Invalid Arguments","sub_code":"isv.invalid-signature"}"#
            return signed(Array(body.utf8), at: moment)
        }
        let life: SampleLife?
        let payment: SamplePayment?
        if let id = content["trade_no"]?.word {
            life = find(.transaction, id)
            payment = life?.payments.last { $0.transaction == id }
        } else {
            life = content["out_trade_no"]?.word.flatMap { find(.reference, $0) }
            payment = life?.payments.last
        }
        guard let life, let payment, let body = body(payment, life) else {
            let body = #"{"code":"40004","msg":"Business Failed","sub_code":"ACQ.TRADE_NOT_EXIST"}"#
            return signed(Array(body.utf8), at: moment)
        }
        return signed(body, at: moment)
    }

    /// Whether the app's key has signed the question.
    private func isApps(_ request: InquiryRequest) -> Bool {
        guard let mark = request.target.firstIndex(of: "?") else { return false }
        let query = Array(request.target[request.target.index(after: mark)...].utf8)
        var work = VerificationWork(receivedBytes: query.count + request.body.count)
        guard
            let form = try? AlipayForm(
                parsing: query + [UInt8(ascii: "&")] + request.body, work: &work),
            form["app_id"]?.elementsEqual(appID.utf8) == true,
            let signature = form["sign"].flatMap({ Base64.decode(strict: $0[...]) })
        else { return false }
        let text = form.text(withType: true)
        return appKey.verifySHA256(signature) { $0.add(text) }
    }

    private func body(_ payment: SamplePayment, _ life: SampleLife) -> [UInt8]? {
        guard let event = payment.event(life.reference) else { return nil }
        let status: String
        let isPaid = event.type == .paid
        switch event.type {
        case .paid where payment.refunded >= payment.money.minor: status = "TRADE_CLOSED"
        case .paid: status = "TRADE_SUCCESS"
        case .expired, .canceled: status = "TRADE_CLOSED"
        default: status = "WAIT_BUYER_PAY"
        }
        var json = JSONWriter(reserving: 512)
        json.object { json in
            json.member("code", "10000")
            json.member("msg", "Success")
            json.member("out_trade_no", event.reference)
            json.member("trade_no", event.transaction)
            json.member("trade_status", status)
            json.member("total_amount", event.money.decimal)
            if event.money.currency != Alipay.yuan {
                json.member("trans_currency", event.money.currency.code)
            }
            if isPaid { json.member("send_pay_date", Alipay.text(payment.began)) }
        }
        return json.bytes
    }

    private func signed(_ body: [UInt8], at moment: ResponderMoment) -> InquiryAnswer {
        guard let signature = try? key.signSHA256(body) else {
            return InquiryAnswer(status: 500, [], at: moment)
        }
        var bytes = Array(#"{"alipay_trade_query_response":"#.utf8) + body
        bytes += Array(#","sign":"\#(Base64.encode(signature))"}"#.utf8)
        return InquiryAnswer(bytes, at: moment)
    }
}
