import JSON
import Payments

/// What a conversation came to.
package struct InquiryFinding: Sendable, Equatable {
    package var verdict: InquiryVerdict
    package var trust: InquiryTrust

    /// Why, in snake_case: the same in the log line, the metric and the command's answer.
    /// `answered` where there is nothing to explain.
    package var reason: String

    /// For people. Never holds a credential.
    package var detail: String

    /// What the provider said about the order; empty unless `verdict` is `answered`.
    package var facts: [InquiryFact] = []

    /// The access token that the conversation fetched, for the next one.
    package var token: InquiryToken?

    init(_ facts: [InquiryFact], trust: InquiryTrust) {
        verdict = .answered
        self.trust = trust
        reason = "answered"
        detail = facts.isEmpty ? "the answer is about no payment" : ""
        self.facts = facts
    }

    init(_ noAnswer: NoAnswer) {
        verdict = noAnswer.verdict
        trust = noAnswer.trust
        reason = noAnswer.reason
        detail = noAnswer.detail
    }
}

/// One attempt, capture, refund, reversal or dispute of an answer.
package struct InquiryFact: Sendable, Equatable {
    /// Under the same ids as in the provider's own notifications, so that both join; its identity
    /// begins with `inquiry:`, so that a notification that comes late is an event of its own.
    package let notification: Notification

    /// The exchange that says so, by its place in the conversation.
    package let exchange: Int

    /// Which of the endpoint's keys verified the answer, or `tls`.
    package let key: String
}

package enum InquiryVerdict: String, Sendable, CaseIterable {
    /// The provider spoke about this order: the facts apply.
    case answered
    /// The provider does not know the order, or not yet. Never a failure of the payment.
    case absent
    /// No word about the order: ask again later.
    case retry
    /// Our credentials or our request are refused: a person has to look.
    case denied
    /// The proof is missing or wrong, or the answer is about something else: a person has to look.
    case untrusted
    /// Genuine as far as can be told, and not understandable.
    case unreadable
}

/// What speaks for an answer.
package enum InquiryTrust: String, Sendable, CaseIterable {
    /// The provider's signature verifies.
    case signature
    /// It is not signed: the connection's certificate is all there is.
    case tls
    /// Nothing.
    case none
}

/// Why an answer contains no fact about the order.
package struct NoAnswer: Error, Sendable, Equatable {
    let verdict: InquiryVerdict
    let trust: InquiryTrust
    let reason: String
    let detail: String

    init(_ verdict: InquiryVerdict, _ trust: InquiryTrust, _ reason: String, _ detail: String) {
        self.verdict = verdict
        self.trust = trust
        self.reason = reason
        self.detail = detail
    }
}

extension NoAnswer {
    static func absent(_ trust: InquiryTrust, _ reason: String = "not_known") -> NoAnswer {
        NoAnswer(.absent, trust, reason, "the provider does not know it, or not yet")
    }

    static func mismatch(_ what: String, _ trust: InquiryTrust) -> NoAnswer {
        NoAnswer(
            .untrusted, trust, "other_\(what)", "the answer names another \(what) than was asked")
    }

    static func unreadable(
        _ trust: InquiryTrust, _ reason: String, _ detail: String
    ) -> NoAnswer {
        NoAnswer(.unreadable, trust, reason, detail)
    }

    static func status(
        _ verdict: InquiryVerdict, _ trust: InquiryTrust, _ status: Int
    ) -> NoAnswer {
        NoAnswer(verdict, trust, "status_\(status)", "the provider answered \(status)")
    }
}

extension JSONDocument {
    /// Parses an answer.
    ///
    /// - Throws: ``NoAnswer``: two members of one name are unreadable, because two readers
    ///   would read two things. Anything else that is no JSON (a proxy's page, a body that was cut
    ///   off) proves nothing about who wrote it, and is asked again.
    static func parse(answer body: [UInt8]) throws(NoAnswer) -> JSONValue {
        do throws(JSONError) {
            return try JSONDocument(parsing: body, limits: .unauthenticated).root
        } catch {
            if case .duplicateKey = error {
                throw .unreadable(.tls, error.reason, "at byte \(error.offset) of the answer")
            }
            throw NoAnswer(
                .retry, .none, error.reason, "the answer is not JSON: byte \(error.offset)")
        }
    }
}

extension Notification {
    /// The fact that `notification` is, told by an answer: `identity` in place of its own.
    ///
    /// - Throws: ``NoAnswer`` where it claims something about money that cannot be read.
    static func fact(
        _ notification: Notification, identity: [String?], _ trust: InquiryTrust
    ) throws(NoAnswer) -> Notification {
        guard !notification.flags.contains(.notUnderstood) else {
            throw .unreadable(
                trust, "not_understood", "a \(notification.kind) in the answer cannot be read")
        }
        var fact = notification
        fact.id = EventIdentity.text(["inquiry"] + identity)
        return fact
    }
}
