import Bytes
import JSON
import Payments

/// Asks PayPal for a capture, an authorization, an order or a refund by its id, with an access
/// token for the app's client id and secret.
///
/// PayPal offers no question by the merchant's reference. An id does not say what it names, so the
/// next kind of resource is asked for while PayPal knows none with it. Answers are not signed.
package struct PayPalInquirer: Inquirer {
    private let access: PayPalAccess
    private let reference: [PayPalReference]
    private let mode: EndpointSettings.Mode

    /// - Throws: ``SettingsError`` without a client id and its secret.
    package init(settings: EndpointSettings) throws(SettingsError) {
        access = try PayPalAccess(settings: settings)
        reference = try PayPalReference.list(settings)
        mode = settings[PayPal.mode] ?? .live
    }

    package func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        let question = conversation.question
        guard question.name == .transaction else { throw .unsupported(question) }
        var token: InquiryToken?
        let exchanges = conversation.exchanges
        do throws(NoAnswer) {
            guard let known = try access.token(conversation.token, exchanges, now: now) else {
                return .ask(access.request)
            }
            token = known.token
            var kinds: [PayPalResource] =
                question.subject == .refund ? [.refund] : [.capture, .authorization, .order]
            if let last = exchanges.indices.last, last != known.fetched {
                do throws(NoAnswer) {
                    return .found(try finding(exchanges[last], last, to: question, known.token))
                } catch {
                    let absent = exchanges.count { $0.answer.status == 404 }
                    guard error.verdict == .absent, absent < kinds.count else { throw error }
                    kinds.removeFirst(absent)
                }
            }
            return .ask(Self.request(kinds[0], question.value, known.token))
        } catch {
            var finding = InquiryFinding(error)
            if finding.verdict != .denied { finding.token = token }
            return .found(finding)
        }
    }

    // MARK: Requests

    private static func request(
        _ kind: PayPalResource, _ id: String, _ token: InquiryToken
    ) -> InquiryRequest {
        InquiryRequest(
            method: "GET",
            target: "/v2/\(kind.rawValue)/\(PercentEncoding.encode(Array(id.utf8)))",
            headers: [token.bearer])
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
