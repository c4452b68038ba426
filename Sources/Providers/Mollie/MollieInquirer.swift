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
    let reading: MollieReading

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
            return .ask(request(about: question.value))
        }
        do throws(NoAnswer) {
            let payment = try Self.payment(question.value, in: exchange.answer)
            let facts = try reading.facts(payment, exchange.answer.body).map {
                InquiryFact(notification: $0, exchange: 0, key: "tls")
            }
            return .found(InquiryFinding(facts, trust: .tls))
        } catch {
            return .found(InquiryFinding(error))
        }
    }

    /// The request for a payment with its captures, refunds and chargebacks.
    func request(about id: String) -> InquiryRequest {
        request("\(Self.path)\(id)\(Self.query)")
    }

    func request(_ target: String) -> InquiryRequest {
        InquiryRequest(
            method: "GET", target: target,
            headers: [
                Header("authorization", "Bearer \(apiKey)"),
                Header("accept", "application/hal+json"),
            ])
    }

    /// - Throws: ``NoAnswer`` unless the answer is the payment with this id.
    static func payment(
        _ id: String, in answer: InquiryAnswer
    ) throws(NoAnswer) -> JSONValue {
        try answer.requireOK()
        let root = try JSONDocument.parse(answer: answer.body)
        guard root["id"]?.word == id else {
            throw NoAnswer(
                .untrusted, .tls, "answer_for_another",
                "the answer names another payment than was asked")
        }
        return root
    }
}
