import Payments

extension Inquirer {
    /// Reads one fact of a recorded answer again by the current rules; nil if they do not find it.
    ///
    /// A record keeps one exchange of its conversation. Where its answer does not stand by itself
    /// (``facts(in:)``), it answers every request here, including those to several entities of
    /// which only one had the payment.
    ///
    /// - Parameter known: The fact as it was recorded, with the ids by which the question may have
    ///   been asked.
    package func reread(_ known: Notification, in exchange: InquiryExchange) -> Notification? {
        let questions = [
            (known.reference ?? known.alias).map { InquiryQuestion(by: .reference, $0) },
            known.transaction.map { InquiryQuestion(by: .transaction, $0) },
        ]
        let own = facts(in: exchange)
        for question in questions.compactMap(\.self) {
            let facts = own ?? facts(of: exchange, to: question)
            if let fact = facts.first(where: { $0.notification.id.isExactly(known.id) }) {
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
