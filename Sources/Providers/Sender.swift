/// The provider's part, played: signs an event as the provider would, and judges the answer as the
/// provider would.
package protocol Sender: Sendable {
    /// The request that the provider would make for `event`. The same event gives the same bytes,
    /// so that a repetition is one.
    ///
    /// - Parameter path: The public path of the endpoint, with the query where the provider was
    ///   given one.
    /// - Throws: ``SenderError`` where this system has no such event, or its key cannot sign.
    func sign(_ event: SampleEvent, path: String) throws(SenderError) -> OutboundRequest

    /// Why this system sends nothing for such an event, in one sentence; nil where there is no more
    /// to say than that.
    func absence(of type: EventType) -> String?

    /// Whether the provider would stop or retry.
    func judge(status: Int, contentType: String?, body: [UInt8]) -> AnswerVerdict

    /// The pauses between attempts that the provider publishes, the first one before the second
    /// attempt. Empty where nothing is published.
    var publishedRetrySchedule: [Duration] { get }
}

extension Sender {
    package func absence(of type: EventType) -> String? { nil }
}

/// What the provider makes of an answer.
package enum AnswerVerdict: Sendable, Equatable {
    case accepted
    /// It would send again (or give up, where its schedule is over), for this reason.
    case sendsAgain(String)
}

package enum SenderError: Error, Sendable, Equatable {
    /// This system sends nothing for such an event.
    case unsupported(EventType)
    /// The amount does not fit the form in which this system writes amounts.
    case unrepresentableAmount
    /// The cryptographic library refused to sign.
    case signingFailed
}
