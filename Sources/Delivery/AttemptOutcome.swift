import WebClient

/// What came of one attempt.
package struct AttemptOutcome: Sendable, Equatable {
    /// The answer's status; nil when there was none.
    package var status: Int?
    /// Why there was no complete answer.
    package var failure: WebFailure.Reason?
    /// From the beginning to the end of the answer, or to the failure.
    package var latencyMicroseconds: Int
    /// `Retry-After` in seconds, a date counted from now; nil when there was none that can be read.
    package var retryAfterSeconds: Double?
    /// The first bytes of the answer's body: what the transport keeps.
    package var excerpt: [UInt8]
    /// What the transport adds to the failure, such as a certificate's name. For people.
    package var detail: String

    /// An answer came.
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

    /// No complete answer came. `status` is there when at least the answer's head came.
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

    /// Whether the destination has taken the event: a complete answer 2xx. A redirect is not one.
    package var isSuccess: Bool { failure == nil && (200...299).contains(status ?? 0) }

    /// The reason code in logs, metrics and lists: `delivered`, `status_503`, or the failure's.
    package var reason: String {
        if let failure { return failure.rawValue }
        return isSuccess ? "delivered" : "status_\(status ?? 0)"
    }
}
