import Bytes
import JSON
import Payments

/// Fetches a payment of Mollie with its captures, refunds and chargebacks, by its id.
///
/// - **Request:** `GET /v2/payments/{id}`, with the API key. Mollie offers no question by the
///   merchant's reference.
/// - **Answer:** not signed. A payment of another mode, profile or account is not known.
package struct MollieInquirer: Inquirer {
    private let apiKey: String
    private let reading: MollieReading

    static let path = "/v2/payments/"
    private static let query = "?embed=captures,refunds,chargebacks"

    /// - Throws: ``SettingsError`` without an API key, and as ``MollieReading`` does.
    package init(settings: EndpointSettings) throws(SettingsError) {
        apiKey = try settings.headerText(Mollie.apiKey)
        reading = try MollieReading(settings)
    }

    package func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        let question = conversation.question
        guard let exchange = conversation.exchanges.last else {
            guard question.subject == .payment, question.name == .transaction,
                Mollie.isPaymentID(question.value)
            else { throw .unsupported(question) }
            return .ask(
                InquiryRequest(
                    method: "GET", target: "\(Self.path)\(question.value)\(Self.query)",
                    headers: [
                        Header("authorization", "Bearer \(apiKey)"),
                        Header("accept", "application/hal+json"),
                    ]))
        }
        do throws(NoAnswer) {
            let facts = try facts(exchange.answer, question).map {
                InquiryFact(notification: $0, exchange: 0, key: "tls")
            }
            return .found(InquiryFinding(facts, trust: .tls))
        } catch {
            return .found(InquiryFinding(error))
        }
    }

    private func facts(
        _ answer: InquiryAnswer, _ question: InquiryQuestion
    ) throws(NoAnswer) -> [Notification] {
        switch answer.status {
        case 200: break
        case 404, 410: throw .absent(.tls)
        case 429, 500...: throw .status(.retry, .none, answer.status)
        default: throw .status(.denied, .tls, answer.status)
        }
        let root = try JSONDocument.parse(answer: answer.body)
        guard root["id"]?.word == question.value else {
            throw NoAnswer(
                .untrusted, .tls, "answer_for_another",
                "the answer names another payment than was asked")
        }
        return try reading.facts(root, answer.body)
    }
}
