import Bytes
import JSON
import Payments

/// Asks PayPal for a capture, an authorization, an order or a refund by its id, with an access
/// token for the app's client id and secret.
///
/// PayPal offers no question by the merchant's reference. An id does not say what it names, so the
/// next kind of resource is asked for while PayPal knows none with it. Answers are not signed.
package struct PayPalInquirer: Inquirer {
    private let credentials: String
    private let reference: [PayPalReference]
    private let mode: EndpointSettings.Mode

    /// A token is not used in its last seconds, because the request may take that long to arrive.
    static let tokenMarginSeconds: Int64 = 60
    static let tokenPath = "/v1/oauth2/token"

    /// - Throws: ``SettingsError`` without a client id and its secret.
    package init(settings: EndpointSettings) throws(SettingsError) {
        credentials = try Self.credentials(settings)
        reference = try PayPalReference.list(settings)
        mode = settings[PayPal.mode] ?? .live
    }

    /// The value of `authorization` in the request for a token (RFC 7617).
    static func credentials(_ settings: EndpointSettings) throws(SettingsError) -> String {
        let id = try settings.headerText(PayPal.clientID)
        let secret = try settings.headerText(PayPal.clientSecret)
        return "Basic \(Base64.encode(Array("\(id):\(secret)".utf8)))"
    }

    package func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        let question = conversation.question
        guard question.name == .transaction else { throw .unsupported(question) }
        var token = conversation.token.flatMap { $0.expires > now ? $0 : nil }
        let exchanges = conversation.exchanges
        let fetched = exchanges.firstIndex { $0.request.method == "POST" }
        do throws(NoAnswer) {
            if let fetched { token = try Self.token(exchanges[fetched].answer) }
            guard let token else { return .ask(tokenRequest) }
            var kinds: [PayPalResource] =
                question.subject == .refund ? [.refund] : [.capture, .authorization, .order]
            if let last = exchanges.indices.last, last != fetched {
                // The token of an earlier conversation may have been revoked before it expired.
                if exchanges[last].answer.status == 401, fetched == nil {
                    return .ask(tokenRequest)
                }
                do throws(NoAnswer) {
                    return .found(try finding(exchanges[last], last, to: question, token))
                } catch {
                    let absent = exchanges.count { $0.answer.status == 404 }
                    guard error.verdict == .absent, absent < kinds.count else { throw error }
                    kinds.removeFirst(absent)
                }
            }
            return .ask(Self.request(kinds[0], question.value, token))
        } catch {
            var finding = InquiryFinding(error)
            if finding.verdict != .denied { finding.token = token }
            return .found(finding)
        }
    }

    // MARK: Requests

    private var tokenRequest: InquiryRequest {
        InquiryRequest(
            method: "POST", target: Self.tokenPath,
            headers: [
                Header("content-type", "application/x-www-form-urlencoded"),
                Header("authorization", credentials),
            ], body: Array("grant_type=client_credentials".utf8))
    }

    private static func request(
        _ kind: PayPalResource, _ id: String, _ token: InquiryToken
    ) -> InquiryRequest {
        InquiryRequest(
            method: "GET",
            target: "/v2/\(kind.rawValue)/\(PercentEncoding.encode(Array(id.utf8)))",
            headers: [Header("authorization", "Bearer \(token.text)")])
    }

    /// The resource that a request asks for; nil for another request.
    static func asked(_ request: InquiryRequest) -> (kind: PayPalResource, id: String)? {
        for kind in PayPalResource.allCases {
            let path = "/v2/\(kind.rawValue)/"
            guard request.path.hasPrefix(path),
                let id = PercentEncoding.decode(Array(request.path.dropFirst(path.count).utf8)[...])
            else { continue }
            return (kind, String(decoding: id, as: UTF8.self))
        }
        return nil
    }

    // MARK: Answers

    /// Reads the access token of an answer.
    private static func token(_ answer: InquiryAnswer) throws(NoAnswer) -> InquiryToken {
        if answer.status == 400 || answer.status == 401 || answer.status == 403 {
            throw NoAnswer(
                .denied, .tls, "token_refused", "no access token for this client id and secret")
        }
        guard answer.status == 200 else { throw .status(.retry, .tls, answer.status) }
        let root = try JSONDocument.parse(answer: answer.body)
        guard let text = root["access_token"]?.string, !text.isEmpty,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { throw NoAnswer(.retry, .tls, "token_missing", "the answer has no access token") }
        let seconds = max(0, min(root["expires_in"]?.int64 ?? 0, 86_400) - tokenMarginSeconds)
        return InquiryToken(
            text,
            expires: Timestamp(
                microseconds: answer.received.microseconds + seconds * 1_000_000))
    }

    private func finding(
        _ exchange: InquiryExchange, _ index: Int, to question: InquiryQuestion,
        _ token: InquiryToken
    ) throws(NoAnswer) -> InquiryFinding {
        guard let asked = Self.asked(exchange.request) else { throw .absent(.tls) }
        var facts: [InquiryFact] = []
        for fact in try self.facts(exchange.answer, asked) {
            // Otherwise a notification with an invented reference would be confirmed.
            if fact.reportsSuccess, case .attempt = fact.effect, fact.reference == nil,
                question.reference != nil
            {
                throw .mismatch("reference", .tls)
            }
            facts.append(InquiryFact(notification: fact, exchange: index, key: "tls"))
        }
        var finding = InquiryFinding(facts, trust: .tls)
        finding.token = token
        return finding
    }

    private func facts(
        _ answer: InquiryAnswer, _ asked: (kind: PayPalResource, id: String)
    ) throws(NoAnswer) -> [Notification] {
        switch answer.status {
        case 200: break
        case 401, 403:
            throw NoAnswer(.denied, .tls, "token_refused", "PayPal answered \(answer.status)")
        case 404:
            // A proxy's page says nothing about the payment.
            let name = try JSONDocument.parse(answer: answer.body)["name"]?.word
            guard name == "RESOURCE_NOT_FOUND" else { throw .status(.retry, .tls, 404) }
            throw .absent(.tls)
        default: throw .status(.retry, .tls, answer.status)
        }
        let root = try JSONDocument.parse(answer: answer.body)
        guard let id = root["id"]?.word else {
            throw .unreadable(.tls, "id_missing", "the answer names no payment")
        }
        guard id.utf8.elementsEqual(asked.id.utf8) else { throw .mismatch("transaction", .tls) }
        let read = PayPalInterpretation(
            root: root, resource: root, body: answer.body, reference: reference)
        var facts: [Notification] = []
        for var fact in read.facts(asked.kind) where fact.effect != .none || !fact.flags.isEmpty {
            fact.ids = .anything
            if mode == .test { fact.flags.append(.testMode) }
            let word = root["status"]?.word
            facts.append(
                try .fact(
                    fact,
                    identity: [
                        asked.kind.rawValue, fact.transaction, fact.effect.id, fact.status, word,
                    ], .tls))
        }
        return facts
    }
}
