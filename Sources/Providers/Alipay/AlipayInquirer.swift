import Bytes
import Cryptography
import JSON
import Payments

/// Asks the open platform for a trade, by its reference or Alipay's id of it
/// (`alipay.trade.query`).
///
/// - **Request:** the public parameters in the query and `biz_content` in the body, as Alipay's own
///   libraries send them, signed together with the app's private key.
/// - **Answer:** `{"alipay_trade_query_response":{…},"sign":"…"}`; the signature is over the bytes
///   of that member. It says of refunds only that everything was refunded.
package struct AlipayInquirer: Inquirer {
    private let appID: String
    private let key: RSAPrivateKey
    private let keys: [RSAPublicKey]

    static let method = "alipay.trade.query"
    static let path = "/gateway.do"

    /// - Throws: ``SettingsError`` as ``Alipay`` does, for the classic gateway, and without the
    ///   app's private key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        _ = try Alipay(settings: settings)
        guard settings[Alipay.product] ?? .openPlatform == .openPlatform else {
            throw Alipay.product.error("the classic global gateway cannot be asked")
        }
        appID = try settings.headerText(Alipay.appID)
        guard let text = settings[Alipay.privateKey] else {
            throw Alipay.privateKey.error("the app's private key is needed to ask Alipay")
        }
        do throws(KeyError) { key = try RSAPrivateKey(text: text) } catch {
            throw Alipay.privateKey.error("\(error)")
        }
        keys = (settings[Alipay.publicKeys] ?? []).compactMap {
            try? RSAPublicKey(keyOrCertificate: $0.text)
        }
        guard !keys.isEmpty else {
            throw Alipay.publicKeys.error("Alipay's public key is needed, which verifies answers")
        }
    }

    package func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        let question = conversation.question
        guard let exchange = conversation.exchanges.last else {
            return .ask(try request(question, now: now))
        }
        do throws(NoAnswer) {
            let facts = try facts(exchange.answer, question)
            return .found(InquiryFinding(facts, trust: .signature))
        } catch {
            return .found(InquiryFinding(error))
        }
    }

    // MARK: Request

    private func request(
        _ question: InquiryQuestion, now: Timestamp
    ) throws(InquiryError) -> InquiryRequest {
        let name: StaticString
        switch (question.subject, question.name) {
        case (.payment, .reference): name = "out_trade_no"
        case (.payment, .transaction): name = "trade_no"
        default: throw .unsupported(question)
        }
        var content = JSONWriter(reserving: 64)
        content.object { $0.member(name, question.value) }
        let parameters = [
            ("app_id", appID), ("charset", "utf-8"), ("format", "JSON"),
            ("method", Self.method), ("sign_type", "RSA2"), ("timestamp", Alipay.text(now)),
            ("version", "1.0"),
        ]
        let body = ("biz_content", String(decoding: content.bytes, as: UTF8.self))
        let text = (parameters + [body]).sorted { utf8Precedes($0.0, $1.0) }
            .map { "\($0)=\($1)" }.joined(separator: "&")
        guard let signature = try? key.signSHA256(Array(text.utf8)) else { throw .signingFailed }
        let query = Self.form(parameters + [("sign", Base64.encode(signature))])
        return InquiryRequest(
            method: "POST", target: "\(Self.path)?\(query)",
            headers: [
                Header("accept", "application/json"),
                Header("content-type", "application/x-www-form-urlencoded;charset=utf-8"),
            ], body: Array(Self.form([body]).utf8))
    }

    private static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0)=\(PercentEncoding.encode(Array($1.utf8)))" }.joined(separator: "&")
    }

    // MARK: Answer

    private func facts(
        _ answer: InquiryAnswer, _ question: InquiryQuestion
    ) throws(NoAnswer) -> [InquiryFact] {
        guard answer.status == 200 else {
            throw .status(
                answer.status == 429 || answer.status >= 500 ? .retry : .denied, .none,
                answer.status)
        }
        let root = try JSONDocument.parse(answer: answer.body)
        guard let response = root["alipay_trade_query_response"] else {
            let error = root["error_response"]
            guard let code = (error?["sub_code"] ?? error?["code"])?.word else {
                throw NoAnswer(
                    .retry, .none, "no_answer", "the answer has no alipay_trade_query_response")
            }
            throw NoAnswer(.denied, .tls, "refused", "Alipay says \(code)")
        }
        guard root["sign"] != nil else { throw Self.unsigned(response) }
        let key = try signer(of: response, root["sign"]?.utf8)
        guard response["code"]?.word == "10000" else { throw Self.refusal(response, .signature) }
        let asked = question.name == .reference ? "out_trade_no" : "trade_no"
        guard response[asked]?.word == question.value else {
            throw .mismatch("payment", .signature)
        }
        guard let trade = AlipayTrade(answer: response) else {
            throw .unreadable(.signature, "not_understood", "the trade cannot be read")
        }
        var facts: [InquiryFact] = []
        for fact in trade.notifications(identity: []) {
            let identity = [
                fact.kind, trade.transaction, trade.status, fact.refundedAtLeast?.decimal,
            ]
            facts.append(
                InquiryFact(
                    notification: try .fact(fact, identity: identity, .signature), exchange: 0,
                    key: key))
        }
        return facts
    }

    private func signer(
        of response: JSONValue, _ sent: ArraySlice<UInt8>?
    ) throws(NoAnswer) -> String {
        guard let signature = sent.flatMap({ Base64.decode(strict: $0) }) else {
            throw NoAnswer(.untrusted, .none, "signature_encoding", "the sign is not Base64")
        }
        let signed = Array(response.rawBytes)
        let place = keys.firstIndex { key in key.verifySHA256(signature) { $0.add(signed) } }
        guard let place else {
            throw NoAnswer(
                .untrusted, .none, "signature_mismatch", "no key of this endpoint verifies it")
        }
        return String(place + 1)
    }

    /// Why an answer without a signature has no facts. Alipay does not sign all failures.
    private static func unsigned(_ response: JSONValue) -> NoAnswer {
        guard response["code"]?.word != "10000" else {
            return NoAnswer(.untrusted, .none, "sign_missing", "the answer has no `sign`")
        }
        return refusal(response, .tls)
    }

    private static func refusal(_ response: JSONValue, _ trust: InquiryTrust) -> NoAnswer {
        let code = (response["sub_code"] ?? response["code"])?.word ?? "?"
        switch code {
        // The trade begins when the customer opens the page.
        case "ACQ.TRADE_NOT_EXIST": return .absent(trust)
        case "ACQ.SYSTEM_ERROR", "aop.ACQ.SYSTEM_ERROR", "isp.unknow-error", "20000":
            return NoAnswer(.retry, trust, "refused", "Alipay says \(code)")
        default: return NoAnswer(.denied, trust, "refused", "Alipay says \(code)")
        }
    }
}
