import Bytes
import JSON
import Payments

/// Asks the Open Payment Platform for the transaction report by reference or by id, or for a
/// checkout, with an access token.
///
/// Nothing is signed in either direction. A report covers a single entity, so each entity is asked,
/// and a payment is absent only if all of them answer so.
package struct OPPInquirer: Inquirer {
    private let token: String
    private let entityIDs: [String]
    private let mode: EndpointSettings.Mode
    private let report: OpenPaymentPlatform.Report

    /// - Throws: ``SettingsError`` without a token or an entity.
    package init(settings: EndpointSettings) throws(SettingsError) {
        token = try settings.headerText(OpenPaymentPlatform.token)
        entityIDs = settings[OpenPaymentPlatform.entityIDs] ?? []
        guard !entityIDs.isEmpty else {
            throw OpenPaymentPlatform.entityIDs.error("at least one entity is needed")
        }
        for (index, id) in entityIDs.enumerated() {
            guard id.utf8.count == 32, Hex.decode(Array(id.utf8)[...]) != nil else {
                throw SettingsError(
                    key: "entityIDs[\(index)]", message: "an entity is 32 hex digits")
            }
        }
        mode = settings[OpenPaymentPlatform.mode] ?? .live
        report = settings[OpenPaymentPlatform.report] ?? .v1
    }

    package func next(
        _ conversation: InquiryConversation, now: Timestamp
    ) throws(InquiryError) -> InquiryStep {
        let answered = conversation.exchanges.count
        guard answered >= entityIDs.count else {
            return .ask(try request(conversation.question, entity: entityIDs[answered]))
        }
        var facts: [InquiryFact] = []
        var hasAnswer = false
        var failed: [NoAnswer] = []
        for (index, exchange) in conversation.exchanges.enumerated() {
            do throws(NoAnswer) {
                let answer = try OPPAnswer(exchange.answer, to: conversation.question, mode: mode)
                facts += try answer.facts.map {
                    InquiryFact(notification: $0, exchange: index, key: "tls")
                }
                hasAnswer = true
            } catch {
                failed.append(error)
            }
        }
        // One entity's answer may be incomplete while another has not answered.
        let order: [InquiryVerdict] = [.untrusted, .unreadable, .denied, .retry]
        for verdict in order {
            if let found = failed.first(where: { $0.verdict == verdict }) {
                return .found(InquiryFinding(found))
            }
        }
        return .found(
            hasAnswer
                ? InquiryFinding(facts, trust: .tls)
                : InquiryFinding(failed.first ?? .absent(.tls)))
    }

    private func request(
        _ question: InquiryQuestion, entity: String
    ) throws(InquiryError) -> InquiryRequest {
        let value = PercentEncoding.encode(Array(question.value.utf8))
        let query = "entityId=\(entity)"
        let target: String
        switch (question.subject, question.name) {
        case (.payment, .reference):
            target = "/\(report)/query?\(query)&merchantTransactionId=\(value)"
        case (.payment, .transaction): target = "/\(report)/query/\(value)?\(query)"
        case (.payment, .checkout): target = "/v1/checkouts/\(value)/payment?\(query)"
        default: throw .unsupported(question)
        }
        return InquiryRequest(
            method: "GET", target: target, headers: [Header("authorization", "Bearer \(token)")])
    }
}
