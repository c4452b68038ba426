/// What came of one attempt.
package struct AttemptOutcome: Sendable, Equatable {
    /// The answer's status; nil when there was none.
    package var status: Int?
    /// Why there was no complete answer.
    package var failure: AttemptFailure?
    /// From the beginning to the end of the answer, or to the failure.
    package var latencyMicroseconds: Int
    /// `Retry-After` in seconds, a date counted from now; nil when there was none that can be read.
    package var retryAfterSeconds: Double?
    /// The first bytes of the answer's body, at most `excerptBytesMax`.
    package var excerpt: [UInt8]
    /// What the transport adds to the failure, such as a certificate's name. For people.
    package var detail: String

    package static let excerptBytesMax = 512

    /// An answer came.
    package init(
        status: Int, latencyMicroseconds: Int, retryAfterSeconds: Double? = nil,
        excerpt: [UInt8] = []
    ) {
        self.status = status
        self.latencyMicroseconds = latencyMicroseconds
        self.retryAfterSeconds = retryAfterSeconds
        self.excerpt = Array(excerpt.prefix(Self.excerptBytesMax))
        detail = ""
    }

    /// No complete answer came. `status` is there when at least the answer's head came.
    package init(
        _ failure: AttemptFailure, status: Int? = nil, latencyMicroseconds: Int,
        detail: String = "", excerpt: [UInt8] = []
    ) {
        self.failure = failure
        self.status = status
        self.latencyMicroseconds = latencyMicroseconds
        self.detail = detail
        self.excerpt = Array(excerpt.prefix(Self.excerptBytesMax))
    }

    /// Whether the destination has taken the event: a complete answer 2xx. A redirect is not one.
    package var isSuccess: Bool { failure == nil && (200...299).contains(status ?? 0) }

    /// The reason code in logs, metrics and lists: `delivered`, `status_503`, or the failure's.
    package var reason: String {
        if let failure { return failure.rawValue }
        return isSuccess ? "delivered" : "status_\(status ?? 0)"
    }
}

/// Why an attempt got no complete answer. The raw values are reason codes.
package enum AttemptFailure: String, Sendable, CaseIterable {
    /// The name has no address.
    case nameUnresolved = "dns_failed"
    /// The address is one that is never called, such as a metadata service's.
    case addressRefused = "address_refused"
    /// Nobody listens there.
    case connectRefused = "connect_refused"
    /// The network does not lead there.
    case connectFailed = "connect_failed"
    /// No connection in time: nothing was sent.
    case connectTimeout = "connect_timeout"
    /// The certificate is not one to trust for this name at this time.
    case tlsUnverified = "tls_unverified"
    /// The handshake fails otherwise.
    case tlsFailed = "tls_failed"
    /// A certificate or key of ours cannot be used.
    case tlsSettings = "tls_settings"
    /// The egress proxy is away, or refuses.
    case proxyFailed = "proxy_failed"
    /// The time is over; the destination may have taken the event.
    case timeout
    /// The connection ended in the middle.
    case connectionReset = "reset"
    /// The answer is longer than is read.
    case answerTooLong = "answer_too_long"
    /// The answer is not HTTP.
    case answerMalformed = "answer_malformed"
    /// ipnd is shutting down.
    case canceled
    /// Anything else: a descriptor or memory is missing.
    case failed
}
