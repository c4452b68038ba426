import Bytes
import JSON
import Payments
import ProviderFixtures
import Testing

@testable import Providers

/// One case of `inquiry-*.json`: a question, the exact exchanges, and the expected finding.
struct InquiryVector {
    let fixture: ProviderFixture
    let json: JSONValue

    static func all(_ name: String) throws -> [InquiryVector] {
        try all(#require(ProviderFixture.named(name)))
    }

    static func all(_ fixture: ProviderFixture) throws -> [InquiryVector] {
        let vectors = try #require(VectorFile.load("inquiry-\(fixture)")["vectors"]).elements
            .map { InquiryVector(fixture: fixture, json: $0) }
        try #require(!vectors.isEmpty)
        return vectors
    }

    var id: String { json["id"]?.string ?? "" }
    var exchanges: [JSONValue] { json["exchanges"]?.elements.map(\.self) ?? [] }
    var negatives: [JSONValue] { json["negatives"]?.elements.map(\.self) ?? [] }

    var question: InquiryQuestion {
        get throws {
            let question = try #require(json["question"])
            let name: InquiryQuestion.Name =
                switch question["by"]?.string {
                case "reference": .reference
                case "transaction": .transaction
                case "checkout": .checkout
                default: .request
                }
            return InquiryQuestion(
                question["kind"]?.string == "refund" ? .refund : .payment, by: name,
                try #require(question["value"]?.string),
                currency: requestText.contains("currency=JPY") ? Currency("JPY") : nil)
        }
    }

    /// The target and body of the first request, which show its optional members.
    var requestText: String {
        (exchanges.first?["request"]?["target"]?.string ?? "")
            + (exchanges.first?["request"]?["body"]?.string ?? "")
    }

    var settings: EndpointSettings {
        get throws {
            let config = try #require(json["config"])
            func text(_ name: String) -> SettingValue? {
                (config[name]?.string ?? config[name]?.lexeme).map { .text($0) }
            }
            func secret(_ name: String) -> SettingValue? {
                config[name]?.string.map { .secrets([Array($0.utf8)]) }
            }
            let key = config["antom_public_key_spki_base64"]?.string
            return EndpointSettings(
                name: fixture.name,
                [
                    "clientID": text("client_id"), "projectID": text("project_id"),
                    "keys": key.map { .keys([VersionedKey(version: 1, text: $0)]) },
                    "secrets": secret("secret") ?? secret("token"),
                    "mode": text("mode") == "test" ? "test" : "live",
                ],
                inquiry: [
                    "privateKey": text("merchant_private_key_pkcs8_base64") ?? text("private_key"),
                    "token": text("token"),
                    "entityIDs": config["entity_id"]?.string.map { .texts([$0]) },
                    "report": requestText.contains("/v3/") ? "v3" : "v1",
                    "vendor": requestText.contains("vendor=wechatpay") ? "wechatpay" : nil,
                ])
        }
    }

    var inquirer: any Inquirer {
        get throws { try #require(fixture.descriptor.inquiry).make(settings) }
    }

    /// The time of a request of the vector.
    func moment(_ request: JSONValue?) -> Timestamp {
        let time = headers(request).first { $0.isNamed("request-time") }
        return time.flatMap { Timestamp(lenient: $0.value.span) }
            ?? Timestamp(microseconds: 1_790_000_000_000_000)
    }

    /// The time that an answer names.
    private func answered(_ answer: JSONValue?) -> Timestamp? {
        headers(answer).first { $0.isNamed("response-time") }
            .flatMap { Timestamp(lenient: $0.value.span) }
    }

    func headers(_ message: JSONValue?) -> [Header] {
        (message?["headers"]?.elements.map(\.self) ?? []).map { pair in
            let parts = pair.elements.map { $0.string ?? "" }
            return Header(parts[0], parts[1])
        }
    }

    func request(_ json: JSONValue?) -> InquiryRequest {
        InquiryRequest(
            method: json?["method"]?.string ?? "", target: json?["target"]?.string ?? "",
            headers: headers(json), body: Array((json?["body"]?.string ?? "").utf8))
    }

    func answer(_ json: JSONValue?, at moment: Timestamp) -> InquiryAnswer {
        InquiryAnswer(
            status: Int(json?["status"]?.int64 ?? 0), headers: headers(json),
            body: Array((json?["body"]?.string ?? "").utf8), received: moment)
    }

    /// Returns the finding of the exchanges.
    ///
    /// - Parameters:
    ///   - last: Replaces the last answer.
    ///   - asked: Receives each request of the inquirer, and the vector's.
    func finding(
        last: JSONValue? = nil, change: (inout InquiryAnswer) -> Void = { _ in },
        asked: (InquiryRequest, JSONValue?) -> Void = { _, _ in }
    ) throws -> InquiryFinding {
        let inquirer = try inquirer
        var conversation = InquiryConversation(try question, token: token)
        for (index, exchange) in exchanges.enumerated() {
            let moment = moment(exchange["request"])
            guard case .ask(let request) = try inquirer.next(conversation, now: moment) else {
                Issue.record("\(id) was over before exchange \(index)")
                break
            }
            asked(request, exchange["request"])
            let isLast = index == exchanges.count - 1
            var answer = answer(
                isLast ? last ?? exchange["response"] : exchange["response"],
                at: answered(exchange["response"]) ?? moment)
            if isLast { change(&answer) }
            // The vector's request, so that the signature of its answer is over the same path.
            conversation.append(InquiryExchange(self.request(exchange["request"]), answer))
        }
        let end = moment(exchanges.last?["request"])
        guard case .found(let finding) = try inquirer.next(conversation, now: end) else {
            throw InquiryVectorError.isNotOver
        }
        return finding
    }

    /// The token of a first question that no exchange fetched.
    private var token: InquiryToken? {
        guard exchanges.first?["request"]?["method"]?.string == "GET" else { return nil }
        let header = headers(exchanges[0]["request"]).first { $0.isNamed("authorization") }
        let text = header.map { String(decoding: $0.value, as: UTF8.self) } ?? ""
        return fixture.inquiry?.keptToken(text)
    }
}

enum InquiryVectorError: Error { case isNotOver }

/// A fact in the vectors' words.
struct InquiryVectorFact: Hashable, CustomStringConvertible {
    var words: [String: String]

    init(_ json: JSONValue) {
        words = [:]
        for (key, value) in json.members {
            words[key] =
                value.string ?? value.elements.compactMap(\.string).joined(separator: ",")
        }
    }

    /// Returns nil for a notification without effect.
    init?(_ notification: Notification) {
        var words: [String: String] = [:]
        switch notification.effect {
        case .attempt: words["kind"] = "payment"
        case .capture: words["kind"] = "capture"
        case .refund: words["kind"] = "refund"
        case .dispute: words["kind"] = "dispute"
        case .reversal, .unclearRefund, .doubt: words["kind"] = "other"
        case .none: return nil
        }
        words["status"] = notification.effect.statusWord
        words["id"] = notification.effect.id
        if let amount = notification.effect.amount {
            words["minor"] = String(amount.minor)
            words["currency"] = amount.currency.code
        }
        switch notification.effect {
        case .attempt, .capture: words["transaction"] = notification.transaction
        default: break
        }
        // These flags exist only in ipnd.
        let flags = notification.flags.filter { $0 != .partiallyCaptured && $0 != .providerReview }
        if !flags.isEmpty { words["flags"] = flags.map(\.rawValue).joined(separator: ",") }
        self.words = words
    }

    var description: String {
        words.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }
}
