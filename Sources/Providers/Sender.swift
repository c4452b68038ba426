/// The provider's side of a notification: signs an event, and judges the answer, as the provider
/// would.
package protocol Sender: Sendable {
    /// Returns the provider's request for `event`. The same event gives the same bytes, as in a
    /// retry.
    ///
    /// - Parameter path: The public path of the endpoint, with the query if the provider was given
    ///   one.
    /// - Throws: ``SenderError`` if this system has no such event, or its key cannot sign.
    func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest

    /// Returns one sentence that explains why this system sends nothing for such an event; nil if
    /// there is no explanation.
    func absence(of type: EventType) -> String?

    /// Whether this system has a mark for tests, which ``sign(_:path:)`` writes for an event that
    /// is one.
    var marksTests: Bool { get }

    /// Returns whether the provider would stop or retry.
    func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict

    /// The published pauses between attempts; the first is the one before the second attempt. Empty
    /// if none are published.
    var publishedRetrySchedule: [Duration] { get }
}

extension Sender {
    package func absence(of type: EventType) -> String? { nil }
    package var marksTests: Bool { false }
}

/// The provider's reading of an answer.
package enum AnswerVerdict: Sendable, Equatable {
    case accepted
    /// The provider would retry (or give up at the end of its schedule), for this reason.
    case sendsAgain(String)
}

package enum SenderError: Error, Sendable, Equatable {
    /// This system sends nothing for such an event.
    case unsupported(EventType)
    /// The amount cannot be written in this system's form.
    case unrepresentableAmount
    /// The cryptographic library refused to sign.
    case signingFailed
}
