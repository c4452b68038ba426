import Payments

extension Inquirer {
    /// What today's rules make of one fact of a recorded answer; nil where they do not find it.
    ///
    /// A record keeps one exchange of its conversation. Whatever is asked here is answered by it,
    /// each of several entities, only one of which knew the payment.
    ///
    /// - Parameters:
    ///   - id: The fact's identity.
    ///   - reference: What the fact names, and so what may have been asked for.
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
        // No access token is fetched: the exchange is the one behind it.
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

/// As many as a conversation may have.
private let rereadExchangesMax = 64
