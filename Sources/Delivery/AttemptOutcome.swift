import WebClient

/// The outcome of one attempt.
package struct AttemptOutcome: Sendable, Equatable {
    /// The answer's status; nil without an answer.
    package var status: Int?
    /// Why there is no complete answer; nil when there is one.
    package var failure: WebFailure.Reason?
    /// Time from the start of the attempt to the end of the answer, or to the failure.
    package var latencyMicroseconds: Int
    /// `Retry-After` in seconds from now, also where it is a date; nil without a valid one.
    package var retryAfterSeconds: Double?
    /// The first bytes of the answer's body, as many as the transport keeps.
    package var excerpt: [UInt8]
    /// Details of the failure in words, such as a certificate's name.
    package var detail: String

    /// A complete answer.
    package init(
        status: Int, latencyMicroseconds: Int, retryAfterSeconds: Double? = nil,
        excerpt: [UInt8] = []
    ) {
        self.status = status
        self.latencyMicroseconds = latencyMicroseconds
        self.retryAfterSeconds = retryAfterSeconds
        self.excerpt = excerpt
        detail = ""
    }

    /// A failure. `status` is not nil if the answer's head was received.
    package init(
        _ failure: WebFailure.Reason, status: Int? = nil, latencyMicroseconds: Int,
        detail: String = "", excerpt: [UInt8] = []
    ) {
        self.failure = failure
        self.status = status
        self.latencyMicroseconds = latencyMicroseconds
        self.detail = detail
        self.excerpt = excerpt
    }

    /// Whether the destination accepted the event: a complete 2xx answer. A redirect is a failure.
    package var isSuccess: Bool { failure == nil && (200...299).contains(status ?? 0) }

    /// The reason code in logs, metrics and lists: `delivered`, `status_503`, or the failure's.
    package var reason: String {
        if let failure { return failure.rawValue }
        return isSuccess ? "delivered" : "status_\(status ?? 0)"
    }
}
