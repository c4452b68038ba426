import Bytes
import Cryptography
import JSON
import Payments

/// Asks WeChat Pay for a payment by its reference or transaction, or for a refund by the merchant's
/// number of it.
///
/// - **Request:** `Authorization: WECHATPAY2-SHA256-RSA2048 …`, a signature with the merchant's own
///   key over method, target, time, nonce and body. `wechatpay-serial` asks for an answer that is
///   signed with the endpoint's first key.
/// - **Answer:** signed like a notification, and not sealed. An unsigned one proves nothing but, on
///   a connection with a valid certificate, that the order is not known.
package struct WeChatPayInquirer: Inquirer {
    private let wechatPay: WeChatPay
    private let serial: String
    private let merchantID: String
    private let serialNumber: String
    private let key: RSAPrivateKey

    /// - Throws: ``SettingsError`` as ``WeChatPay`` does, and without the merchant's number, key or
    ///   serial number.
    package init(settings: EndpointSettings) throws(SettingsError) {
        wechatPay = try WeChatPay(settings: settings)
        serial = settings.keys.first?.serial ?? ""
        merchantID = try settings.headerText(WeChatPay.merchantID)
        serialNumber = try settings.headerText(WeChatPay.serialNumber)
        guard let text = settings[WeChatPay.privateKey] else {
            throw WeChatPay.privateKey.error(
                "the private key of the merchant's API certificate is needed to ask WeChat Pay")
        }
        do throws(KeyError) { key = try RSAPrivateKey(text: text) } catch {
            throw WeChatPay.privateKey.error("\(error)")
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
            let (fact, key) = try fact(exchange, question)
            return .found(
                InquiryFinding(
                    [InquiryFact(notification: fact, exchange: 0, key: key)], trust: .signature))
        } catch {
            return .found(InquiryFinding(error))
        }
    }

    // MARK: Request

    static let paths = (
        reference: "/v3/pay/transactions/out-trade-no/", transaction: "/v3/pay/transactions/id/",
        refund: "/v3/refund/domestic/refunds/"
    )

    private func request(
        _ question: InquiryQuestion, now: Timestamp
    ) throws(InquiryError) -> InquiryRequest {
        let value = PercentEncoding.encode(Array(question.value.utf8))
        let target: String
        switch (question.subject, question.name) {
        case (.payment, .reference): target = "\(Self.paths.reference)\(value)?mchid=\(merchantID)"
        case (.payment, .transaction):
            target = "\(Self.paths.transaction)\(value)?mchid=\(merchantID)"
        case (.refund, .reference): target = "\(Self.paths.refund)\(value)"
        default: throw .unsupported(question)
        }
        let time = String(now.microseconds / 1_000_000)
        let nonce = String(
            Hex.encode(SHA256.hash(Array("\(target)\n\(now.microseconds)".utf8))).prefix(32))
        let text = "GET\n\(target)\n\(time)\n\(nonce)\n\n"
        guard let signature = try? key.signSHA256(Array(text.utf8)) else { throw .signingFailed }
        let value64 = Base64.encode(signature)
        return InquiryRequest(
            method: "GET", target: target,
            headers: [
                Header("accept", "application/json"), Header("wechatpay-serial", serial),
                Header(
                    "authorization",
                    #"WECHATPAY2-SHA256-RSA2048 mchid="\#(merchantID)",nonce_str="\#(nonce)","#
                        + #"timestamp="\#(time)",serial_no="\#(serialNumber)","#
                        + #"signature="\#(value64)""#),
            ])
    }

    // MARK: Answer

    private func fact(
        _ exchange: InquiryExchange, _ question: InquiryQuestion
    ) throws(NoAnswer) -> (Notification, key: String) {
        let answer = exchange.answer
        guard answer.status == 200 else { throw refusal(answer) }
        let key: String
        do throws(Refusal) {
            key = try wechatPay.verifySignature(Self.delivery(answer))
        } catch {
            throw NoAnswer(.untrusted, .none, error.reason, error.detail)
        }
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument(parsing: answer.body, limits: .unauthenticated).root
        } catch {
            throw .unreadable(.signature, error.reason, "at byte \(error.offset) of the answer")
        }
        let name: StaticString =
            switch (question.subject, question.name) {
            case (.refund, _): "out_refund_no"
            case (_, .transaction): "transaction_id"
            default: "out_trade_no"
            }
        guard root[name]?.word == question.value else {
            throw .mismatch(question.subject == .refund ? "refund" : "payment", .signature)
        }
        let reading = WeChatPayInterpretation(content: root, signed: answer.body)
        guard question.subject == .refund else {
            let id = root["transaction_id"]?.word ?? root["out_trade_no"]?.word
            let identity = ["payment", id, root["trade_state"]?.word]
            return (try .fact(reading.payment, identity: identity, .signature), key)
        }
        let identity = ["refund", root["refund_id"]?.word, root["status"]?.word]
        return (try .fact(reading.refund("status"), identity: identity, .signature), key)
    }

    private static func delivery(_ answer: InquiryAnswer) -> SignedRequest {
        SignedRequest(
            path: [], headers: answer.headers, body: answer.body, received: answer.received)
    }

    /// The reason why another status than 200 has no fact. What is signed must be signed rightly.
    private func refusal(_ answer: InquiryAnswer) -> NoAnswer {
        var trust = InquiryTrust.tls
        if answer.headers.search("wechatpay-signature") != nil {
            do throws(Refusal) {
                _ = try wechatPay.verifySignature(Self.delivery(answer))
                trust = .signature
            } catch {
                return NoAnswer(.untrusted, .none, error.reason, error.detail)
            }
        }
        let code = (try? JSONDocument(parsing: answer.body))?.root["code"]?.word
        let unknown = ["ORDER_NOT_EXIST", "ORDERNOTEXIST", "RESOURCE_NOT_EXISTS"]
        switch answer.status {
        case 404 where code.map(unknown.contains) == true: return .absent(trust)
        case 429, 500...: return .status(.retry, trust, answer.status)
        default:
            guard let code else { return .status(.denied, trust, answer.status) }
            return NoAnswer(.denied, trust, "refused", "WeChat Pay says \(code)")
        }
    }
}
