import JSON
import Payments

/// The result of a conversation.
package struct InquiryFinding: Sendable, Equatable {
    package var verdict: InquiryVerdict
    package var trust: InquiryTrust

    /// The cause in snake_case, the same in the log line, the metric and the command's answer;
    /// `answered` if there is nothing to explain.
    package var reason: String

    /// The cause for people. Never contains a credential.
    package var detail: String

    /// The provider's facts about the order; empty unless `verdict` is `answered`.
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
    /// The fact as a notification. Its ids are those of the provider's own notifications, so that
    /// both join. Its identity begins with `inquiry:`, so that a late notification is a separate
    /// event.
    package let notification: Notification

    /// Index of the exchange in the conversation that contains the fact.
    package let exchange: Int

    /// The endpoint's key that verified the answer, or `tls`.
    package let key: String
}

package enum InquiryVerdict: String, Sendable, CaseIterable {
    /// The provider answered about this order: the facts apply.
    case answered
    /// The provider has no such order, at least not yet. Never a failure of the payment.
    case absent
    /// The answer says nothing about the order: ask again later.
    case retry
    /// The provider refuses our credentials or our request: a person must act.
    case denied
    /// The proof is missing or wrong, or the answer is about something else: a person must act.
    case untrusted
    /// Apparently genuine, but not readable.
    case unreadable
}

/// The proof of an answer's origin.
package enum InquiryTrust: String, Sendable, CaseIterable {
    /// The provider's signature, which verifies.
    case signature
    /// Only the connection's certificate: the answer is not signed.
    case tls
    /// No proof.
    case none
}

/// The reason why an answer contains no fact about the order.
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

extension InquiryAnswer {
    /// Reads the status of an answer that is not signed.
    ///
    /// - Throws: ``NoAnswer`` unless it is 200.
    func requireOK() throws(NoAnswer) {
        switch status {
        case 200: break
        case 404, 410: throw .absent(.tls)
        case 429, 500...: throw .status(.retry, .none, status)
        default: throw .status(.denied, .tls, status)
        }
    }

    /// A member of a JSON answer that is not signed, and the whole answer.
    ///
    /// - Throws: ``NoAnswer`` unless the status is 200 and the member is there.
    func member(
        _ name: String, of provider: String
    ) throws(NoAnswer) -> (value: JSONValue, root: JSONValue) {
        try requireOK()
        let root = try JSONDocument.parse(answer: body)
        guard let value = root[name] else {
            throw NoAnswer(.retry, .tls, "no_answer", "the answer is none of \(provider)'s")
        }
        return (value, root)
    }
}

extension JSONDocument {
    /// Parses an answer.
    ///
    /// - Throws: ``NoAnswer``: a repeated member is unreadable, because parsers disagree about its
    ///   value. Any other invalid JSON (a proxy's page, a truncated body) proves nothing about its
    ///   origin, and is asked again.
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
    /// Returns `notification` as a fact of an answer, with `identity` in place of its own.
    ///
    /// - Throws: ``NoAnswer`` if it makes an unreadable claim about money.
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
