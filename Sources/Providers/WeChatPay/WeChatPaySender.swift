import Bytes
import Cryptography
import JSON
import Payments

/// WeChat Pay's part: envelopes that are sealed with the APIv3 key and signed.
package struct WeChatPaySender: Sender {
    private let key: RSAPrivateKey
    private let serial: String
    private let sealingKey: AES256GCM

    /// - Throws: ``SettingsError`` without a private key or an APIv3 key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        sealingKey = try WeChatPay.sealingKey(settings.senderSecret(), setting: "secret")
        guard let pem = settings[SettingRow.senderKey] else {
            throw SettingRow.senderKey.error("the provider's private key is needed")
        }
        do throws(KeyError) { key = try RSAPrivateKey(pem: pem) } catch {
            throw SettingRow.senderKey.error("\(error)")
        }
        serial = settings.keys.first?.serial ?? SandboxMark.keySerial
    }

    package func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest {
        let digest = SampleEvent.identifier(
            event.type.rawValue, event.transaction, event.actionID, event.occurred.rfc3339)
        let body = try body(event, id: digest)
        guard let headers = Self.headers(body, at: event.occurred, nonce: digest, serial, key)
        else {
            throw .signingFailed
        }
        return OutboundRequest(
            target: path, headers: [Header("content-type", "application/json")] + headers,
            body: body)
    }

    /// The headers that sign a body; nil if the key cannot sign.
    static func headers(
        _ body: [UInt8], at time: Timestamp, nonce: String, _ serial: String, _ key: RSAPrivateKey
    ) -> [Header]? {
        let seconds = String(time.microseconds / 1_000_000)
        let text = Array("\(seconds)\n\(nonce)\n".utf8) + body + [0x0A]
        guard let signature = try? key.signSHA256(text) else { return nil }
        return [
            Header("wechatpay-timestamp", seconds), Header("wechatpay-nonce", nonce),
            Header("wechatpay-serial", serial),
            Header("wechatpay-signature-type", "WECHATPAY2-SHA256-RSA2048"),
            Header("wechatpay-signature", Base64.encode(signature)),
        ]
    }

    package func absence(of type: EventType) -> String? {
        switch type {
        case .pending, .failed, .canceled, .expired, .tryFailed:
            "WeChat Pay reports a payment when it has succeeded, and nothing else"
        case .authorized, .captured, .captureFailed: "WeChat Pay takes the money at once"
        case .disputed, .disputeClosed, .disputeWon, .chargedBack:
            "a complaint to WeChat Pay moves no money"
        case .reversed: "WeChat Pay undoes nothing but by a refund"
        default: nil
        }
    }

    /// 200 or 204, within five seconds (documented); an earlier page asks for `SUCCESS`.
    package func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict {
        let code = (try? JSONDocument(parsing: body))?.root["code"]?.word
        guard [200, 204].contains(status), code == nil || code == "SUCCESS" else {
            return .sendsAgain("status \(status), WeChat Pay asks for 200 or 204")
        }
        return .accepted
    }

    /// Documented in "payment notification".
    package let publishedRetrySchedule: [Duration] =
        [.seconds(15), .seconds(15), .seconds(30)]
        + [3, 10, 20, 30, 30, 30, 60].map { .minutes($0) } + [3, 3, 3, 6, 6].map { .hours($0) }

    // MARK: Envelopes

    private func body(_ event: SampleEvent, id: String) throws(SenderError) -> [UInt8] {
        let (type, original, plaintext) = try content(event)
        // Derived from the content, so that no nonce is used for two of them.
        let nonce = Array(Hex.encode(SHA256.hash(plaintext)).utf8.prefix(AES256GCM.ivBytes))
        guard
            let sealed = try? sealingKey.seal(
                plaintext: plaintext, iv: nonce, additional: Array(original.utf8))
        else { throw .signingFailed }
        var json = JSONWriter(reserving: 1024)
        json.object { json in
            json.member("id", id)
            json.member("create_time", event.occurred.wholeSeconds.rfc3339)
            json.member("resource_type", "encrypt-resource")
            json.member("event_type", type)
            json.member("summary", "ipnd")
            json.object("resource") {
                $0.member("original_type", original)
                $0.member("algorithm", "AEAD_AES_256_GCM")
                $0.member("ciphertext", Base64.encode(sealed.ciphertext + sealed.tag))
                $0.member("associated_data", original)
                $0.member("nonce", String(decoding: nonce, as: UTF8.self))
            }
        }
        return json.bytes
    }

    private func content(
        _ event: SampleEvent
    ) throws(SenderError) -> (type: String, original: String, plaintext: [UInt8]) {
        _ = try event.digits()
        var json = JSONWriter(reserving: 512)
        switch event.type {
        case .paid:
            json.object { Self.write(payment: event, state: "SUCCESS", to: &$0) }
            return ("TRANSACTION.SUCCESS", "transaction", json.bytes)
        case .refunded, .refundPending, .refundFailed:
            let word = Self.word(event.type)
            json.object { Self.write(refund: event, word, as: "refund_status", to: &$0) }
            return ("REFUND.\(word)", "refund", json.bytes)
        case .ignored:
            json.object { $0.member("coupon_id", event.actionID) }
            return ("COUPON.USE", "coupon", json.bytes)
        default: throw .unsupported(event.type)
        }
    }

    /// The word for the status of a refund.
    static func word(_ type: EventType) -> String {
        switch type {
        case .refundPending: "ABNORMAL"
        case .refundFailed: "CLOSED"
        default: "SUCCESS"
        }
    }

    /// Writes the members of a payment, as in notifications and in answers.
    static func write(payment event: SampleEvent, state: String, to json: inout JSONWriter) {
        json.member("mchid", "1900000109")
        json.member("out_trade_no", event.reference)
        if ["SUCCESS", "REFUND"].contains(state) {
            json.member("transaction_id", event.transaction)
            json.member("success_time", event.occurred.wholeSeconds.rfc3339)
            json.member("bank_type", "OTHERS")
        }
        json.member("trade_type", "JSAPI")
        json.member("trade_state", state)
        json.object("amount") {
            $0.member("total", event.money.minor)
            $0.member("payer_total", event.money.minor)
            $0.member("currency", event.money.currency.code)
        }
    }

    /// Writes the members of a refund, with its status as `name`.
    static func write(
        refund event: SampleEvent, _ word: String, as name: StaticString, to json: inout JSONWriter
    ) {
        json.member("out_trade_no", event.reference)
        json.member("transaction_id", event.transaction)
        json.member("out_refund_no", "\(event.reference)-R\(event.number)")
        json.member("refund_id", event.actionID)
        json.member(name, word)
        if word == "SUCCESS" {
            json.member("success_time", event.occurred.wholeSeconds.rfc3339)
        }
        json.object("amount") {
            $0.member("total", event.money.minor)
            $0.member("refund", event.money.minor)
            $0.member("payer_refund", event.money.minor)
            // Named by no refund in China, where it is CNY.
            if event.money.currency != WeChatPayInterpretation.usualCurrency {
                $0.member("currency", event.money.currency.code)
            }
        }
    }
}
