import Payments
import Testing

@testable import Providers

extension Inquirer {
    /// The finding from these answers, in the order of the requests; all are asked for.
    ///
    /// - Throws: ``InquiryError``.
    func finding(
        _ question: InquiryQuestion, _ answers: [String], status: Int = 200, now: Timestamp
    ) throws -> (finding: InquiryFinding, asked: [InquiryRequest]) {
        var conversation = InquiryConversation(question)
        for answer in answers {
            guard case .ask(let request) = try next(conversation, now: now) else { break }
            conversation.append(
                InquiryExchange(
                    request,
                    InquiryAnswer(
                        status: status, headers: [], body: Array(answer.utf8), received: now)))
        }
        #expect(conversation.exchanges.count == answers.count)
        guard case .found(let finding) = try next(conversation, now: now) else {
            throw InquiryError.unsupported(question)
        }
        return (finding, conversation.exchanges.map(\.request))
    }
}

extension InquiryFinding {
    var effects: [Effect] { facts.map(\.notification.effect) }
}
