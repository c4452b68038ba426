import Bytes
import Cryptography
import JSON
import Payments

/// WeChat Pay's side of an inquiry: verifies the question with the merchant's key and signs the
/// answer with its own. A payment's answer says of refunds only that there are some.
package struct WeChatPayResponder: Responder {
    private let merchantKey: RSAPublicKey
    private let merchantID: String
    private let key: RSAPrivateKey
    private let serial: String

    /// - Throws: ``SettingsError`` without the merchant's number, or without the private key of
    ///   either side.
    package init(settings: EndpointSettings) throws(SettingsError) {
        guard let merchantID = settings[WeChatPay.merchantID],
            let text = settings[WeChatPay.privateKey], let pem = settings[SettingRow.senderKey]
        else {
            throw WeChatPay.privateKey.error(
                "the merchant's number and both private keys are needed")
        }
        do throws(KeyError) {
            merchantKey = try RSAPublicKey(text: RSAPrivateKey(text: text).publicKeyPEM)
            key = try RSAPrivateKey(pem: pem)
        } catch {
            throw WeChatPay.privateKey.error("\(error)")
        }
        self.merchantID = merchantID
        serial = settings.keys.first?.serial ?? SandboxMark.keySerial
    }

    package let signsAnswers = true

    package func serves(_ request: InquiryRequest) -> Bool {
        let paths = WeChatPayInquirer.paths
        return [paths.reference, paths.transaction, paths.refund].contains {
            request.target.utf8.starts(with: $0.utf8)
        }
    }

    package func reports(_ event: SampleEvent, of life: SampleLife) -> Bool {
        event.kind == "payment" && isLatest(event, of: life)
    }

    package func answer(
        _ request: InquiryRequest, at moment: ResponderMoment,
        find: (InquiryQuestion.Name, String) -> SampleLife?
    ) -> InquiryAnswer {
        guard isMerchants(request) else {
            // Not from the merchant, so the answer is not signed.
            let body = #"{"code":"SIGN_ERROR","message":"签名错误"}"#
            return InquiryAnswer(status: 401, Array(body.utf8), at: moment)
        }
        let paths = WeChatPayInquirer.paths
        if let id = value(request, after: paths.transaction) {
            let payment = find(.transaction, id)?.payments.last { $0.transaction == id }
            return signed(payment.flatMap { body($0, find(.transaction, id)) }, moment)
        }
        if let reference = value(request, after: paths.reference) {
            let life = find(.reference, reference)
            return signed(life?.payments.last.flatMap { body($0, life) }, moment)
        }
        guard let number = value(request, after: paths.refund),
            let mark = number.ranges(of: "-R").last
        else { return signed(nil, moment) }
        let life = find(.reference, String(number[..<mark.lowerBound]))
        let refund = life?.events.last {
            $0.kind == "refund" && "\($0.reference)-R\($0.number)" == number
        }
        return signed(
            refund.map { refund in
                var json = JSONWriter(reserving: 512)
                json.object {
                    WeChatPaySender.write(
                        refund: refund, WeChatPaySender.word(refund.type), as: "status", to: &$0)
                }
                return json.bytes
            }, moment)
    }

    /// The decoded name at the end of the path.
    private func value(_ request: InquiryRequest, after path: String) -> String? {
        guard request.path.utf8.starts(with: path.utf8) else { return nil }
        let rest = Array(request.path.utf8.dropFirst(path.utf8.count))
        return PercentEncoding.decode(rest[...]).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private func isMerchants(_ request: InquiryRequest) -> Bool {
        let values = request.headers.filter { $0.isNamed("authorization") }.map(\.value)
        guard values.count == 1 else { return false }
        let text = String(decoding: values[0], as: UTF8.self)
        func member(_ name: String) -> String? {
            guard let begin = text.firstRange(of: "\(name)=\"") else { return nil }
            return String(text[begin.upperBound...].prefix { $0 != "\"" })
        }
        guard member("mchid") == merchantID, let time = member("timestamp"),
            let nonce = member("nonce_str"),
            let sent = member("signature").flatMap({ Base64.decode(strict: Array($0.utf8)[...]) })
        else { return false }
        let signed = Array("\(request.method)\n\(request.target)\n\(time)\n\(nonce)\n\n".utf8)
        return merchantKey.verifySHA256(message: [signed[...]], signature: sent)
    }

    private func body(_ payment: SamplePayment, _ life: SampleLife?) -> [UInt8]? {
        guard let life, let event = payment.event(life.reference) else { return nil }
        let hasRefunds = !payment.operations("refund").isEmpty
        let state =
            switch event.type {
            case .paid, .authorized: hasRefunds ? "REFUND" : "SUCCESS"
            case .failed, .tryFailed: "PAYERROR"
            case .canceled: "REVOKED"
            case .expired: "CLOSED"
            default: "NOTPAY"
            }
        var json = JSONWriter(reserving: 512)
        json.object { WeChatPaySender.write(payment: event, state: state, to: &$0) }
        return json.bytes
    }

    private func signed(_ body: [UInt8]?, _ moment: ResponderMoment) -> InquiryAnswer {
        let unknown = Array(#"{"code":"ORDER_NOT_EXIST","message":"订单不存在"}"#.utf8)
        let bytes = body ?? unknown
        let nonce = SampleEvent.identifier(
            String(decoding: bytes, as: UTF8.self), "\(moment.now.microseconds)")
        guard
            let headers = WeChatPaySender.headers(
                bytes, at: moment.now, nonce: nonce, serial, key)
        else { return InquiryAnswer(status: 500, [], at: moment) }
        return InquiryAnswer(
            status: body == nil ? 404 : 200, bytes, headers: headers, at: moment)
    }
}
