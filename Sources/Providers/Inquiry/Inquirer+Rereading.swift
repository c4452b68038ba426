import Payments

extension Inquirer {
    /// Reads one fact of a recorded answer again by the current rules; nil if they do not find it.
    ///
    /// A record keeps one exchange of its conversation. It answers every request here, including
    /// those to several entities of which only one had the payment.
    ///
    /// - Parameters:
    ///   - id: The fact's identity.
    ///   - reference: The reference in the fact, by which the question may have been asked.
    ///   - transaction: The provider's id in the fact, by which the question may have been asked.
    package func reread(
        _ id: String, in exchange: InquiryExchange, reference: String?, transaction: String?
    ) -> Notification? {
        let questions = [
            reference.map { InquiryQuestion(by: .reference, $0) },
            transaction.map { InquiryQuestion(by: .transaction, $0) },
        ]
        for question in questions.compactMap(\.self) {
            let facts = facts(of: exchange, to: question)
            if let fact = facts.first(where: { $0.notification.id == id }) {
                var notification = fact.notification
                notification.kind = Notification.inquiryKind
                return notification
            }
        }
        return nil
    }

    private func facts(
        of exchange: InquiryExchange, to question: InquiryQuestion
    ) -> [InquiryFact] {
        let received = exchange.answer.received
        // A token is passed in, so that none is requested: the recorded exchange came after that
        // step.
        let token = InquiryToken(
            "-", expires: Timestamp(microseconds: received.microseconds + 86_400_000_000))
        var conversation = InquiryConversation(question, token: token)
        while conversation.exchanges.count <= rereadExchangesMax {
            guard let step = try? next(conversation, now: received) else { return [] }
            switch step {
            case .found(let finding): return finding.facts
            case .ask: conversation.append(exchange)
            }
        }
        return []
    }
}

/// Maximum number of exchanges in a conversation.
private let rereadExchangesMax = 64
