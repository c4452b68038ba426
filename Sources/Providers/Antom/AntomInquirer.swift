import Bytes
import Cryptography
import JSON
import Payments

/// Asks Antom with `inquiryPayment`, or with `inquiryRefund` about a single refund.
///
/// - **Request:** signed like a notification, but with the merchant's own key. A client id that
///   begins with `SANDBOX_` has another path.
/// - **Answer:** signed by Antom with the key of its notifications, over the path of the request
///   and the answer's own time. An unsigned or wrongly signed answer proves nothing.
package struct AntomInquirer: Inquirer {
    private let antom: Antom
    private let key: RSAPrivateKey
    private let keyVersion: Int
    private let capture: EndpointSettings.Capture

    /// Maximum difference between the signed time of an answer and its arrival, in seconds. The
    /// signature does not bind an answer to its question, so an old answer would verify too.
    static let answerTolerance = TimeTolerance(seconds: 900)

    /// - Throws: ``SettingsError`` as ``Antom`` does, and without a usable private key.
    package init(settings: EndpointSettings) throws(SettingsError) {
        antom = try Antom(settings: settings)
        capture = settings[Antom.capture] ?? .automatic
        guard let text = settings[Antom.privateKey] else {
            throw Antom.privateKey.error(
                "the merchant's own private key is needed to ask Antom")
        }
        do throws(KeyError) {
            key = try RSAPrivateKey(text: text)
        } catch {
            throw Antom.privateKey.error("\(error)")
        }
        keyVersion = settings[Antom.keyVersion] ?? 1
    }

    package func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        guard let exchange = conversation.exchanges.last else {
            return .ask(try request(conversation.question, now: now))
        }
        do throws(NoAnswer) {
            let trust = InquiryTrust.signature
            let (root, version) = try genuine(exchange)
            let facts = try facts(root, Array(exchange.answer.body), conversation.question)
            return .found(
                InquiryFinding(
                    facts.map { InquiryFact(notification: $0, exchange: 0, key: version) },
                    trust: trust))
        } catch {
            return .found(InquiryFinding(error))
        }
    }

    // MARK: Request

    private func request(
        _ question: InquiryQuestion, now: Timestamp
    ) throws(InquiryError) -> InquiryRequest {
        guard let member = Self.member(question) else { throw .unsupported(question) }
        var json = JSONWriter(reserving: 64 + question.value.utf8.count)
        json.object { $0.member(member, question.value) }
        let isSandbox = antom.clientID.starts(with: "SANDBOX_".utf8)
        let path =
            "/ams/\(isSandbox ? "sandbox/" : "")api/v1/payments/"
            + (question.subject == .refund ? "inquiryRefund" : "inquiryPayment")
        let clientID = String(decoding: antom.clientID, as: UTF8.self)
        let time = String(now.microseconds / 1000)
        let content = Array("POST \(path)\n\(clientID).\(time).".utf8) + json.bytes
        guard let signature = try? key.signSHA256(content) else { throw .signingFailed }
        let value = PercentEncoding.encode(Array(Base64.encode(signature).utf8))
        return InquiryRequest(
            method: "POST", target: path,
            headers: [
                Header("content-type", "application/json; charset=UTF-8"),
                Header("client-id", clientID),
                Header("request-time", time),
                Header(
                    "signature", "algorithm=RSA256,keyVersion=\(keyVersion),signature=\(value)"),
            ],
            body: json.bytes)
    }

    /// The member that carries the asked name, in the question and in its answer.
    private static func member(_ question: InquiryQuestion) -> String? {
        switch (question.subject, question.name) {
        case (.payment, .reference): "paymentRequestId"
        case (.payment, .transaction): "paymentId"
        case (.refund, .reference): "refundRequestId"
        case (.refund, .transaction): "refundId"
        case (_, .checkout), (_, .request): nil
        }
    }

    // MARK: Answer

    /// Verifies that the answer is Antom's and recent, and returns its parsed body.
    private func genuine(
        _ exchange: InquiryExchange
    ) throws(NoAnswer) -> (root: JSONValue, version: String) {
        let answer = exchange.answer
        guard answer.status == 200 else { throw .status(.retry, .none, answer.status) }
        let version: String
        do throws(Refusal) {
            version = try verify(exchange)
        } catch {
            // An unsigned refusal is shown to the operator but proves nothing.
            let root = try JSONDocument.parse(answer: answer.body)
            let code = root["result"]?["resultCode"]?.word
            if answer.headers.search("signature") == nil, let code, code != Self.notExisting,
                root["result"]?["resultStatus"]?.word == "F"
            {
                throw NoAnswer(.denied, .none, "refused_unsigned", "Antom says \(code)")
            }
            throw NoAnswer(.untrusted, .none, error.reason, error.detail)
        }
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONDocument(parsing: answer.body, limits: .unauthenticated).root
        } catch {
            throw .unreadable(.signature, error.reason, "at byte \(error.offset) of the answer")
        }
        return (root, version)
    }

    private func verify(_ exchange: InquiryExchange) throws(Refusal) -> String {
        let answer = exchange.answer
        let delivery = SignedRequest(
            path: Array(exchange.request.target.utf8)[...], headers: answer.headers,
            body: answer.body, received: answer.received)
        let time = try delivery.single("response-time")
        let version = try antom.verify(delivery, time: time)
        guard let moment = Timestamp(lenient: time.span) else {
            throw .unauthenticated("response_time_malformed", "the response-time is not a time")
        }
        try Self.answerTolerance.check(moment, received: answer.received)
        return version
    }

    private static let notExisting = "ORDER_NOT_EXIST"

    private func facts(
        _ root: JSONValue, _ body: [UInt8], _ question: InquiryQuestion
    ) throws(NoAnswer) -> [Notification] {
        let code = root["result"]?["resultCode"]?.word ?? ""
        switch root["result"]?["resultStatus"]?.word {
        case "S": break
        case "F" where code == Self.notExisting: throw .absent(.signature)
        case "F":
            throw NoAnswer(.denied, .signature, "refused", "Antom says \(code)")
        case "U":
            throw NoAnswer(.retry, .signature, "unknown_result", "Antom says \(code)")
        default:
            throw .unreadable(.signature, "result_missing", "the answer has no known resultStatus")
        }
        guard let member = Self.member(question), root[member]?.word == question.value else {
            throw .mismatch("payment", .signature)
        }
        let reading = AntomInterpretation(root: root, body: body, capture: capture)
        return question.subject == .refund
            ? [try reading.answeredRefund] : try reading.answeredPayment
    }
}
