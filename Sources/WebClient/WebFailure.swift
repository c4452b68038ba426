import CCurl

/// Why there is no complete answer.
package struct WebFailure: Error, Sendable, Equatable {
    /// The raw values are reason codes.
    package enum Reason: String, Sendable, CaseIterable {
        /// The name could not be resolved.
        case nameUnresolved = "dns_failed"
        /// ``AddressRules`` refused the address.
        case addressRefused = "address_refused"
        case connectRefused = "connect_refused"
        /// No connection for another reason: no route, no descriptor.
        case connectFailed = "connect_failed"
        /// No connection in time, including TLS and the proxy's answer. Nothing was sent.
        case connectTimeout = "connect_timeout"
        /// The certificate is not trusted for this name at this time.
        case tlsUnverified = "tls_unverified"
        /// The handshake failed for another reason, e.g. the server does not use TLS.
        case tlsFailed = "tls_failed"
        /// A local file cannot be used: CA, client certificate or key.
        case tlsSettings = "tls_settings"
        /// The egress proxy cannot be reached, or refuses.
        case proxyFailed = "proxy_failed"
        /// No complete answer in time. The server may have acted on the request.
        case timeout
        /// The connection broke, or was closed before the answer was complete. The server may have
        /// acted on the request.
        case reset
        case answerTooLong = "answer_too_long"
        /// The answer is not HTTP.
        case answerMalformed = "answer_malformed"
        /// The request cannot be sent, e.g. a header with a line break.
        case requestInvalid = "request_invalid"
        /// The task was cancelled, or the client was closed.
        case canceled
        /// Anything else, e.g. no memory.
        case failed
    }

    package var reason: Reason
    /// A description for people, in libcurl's words if it has any.
    package var detail: String
    /// The answer's status, if it was received.
    package var status: Int?
    /// The part of the body that was received and kept.
    package var body: [UInt8]
    package var latencyMicroseconds: Int

    package init(
        _ reason: Reason, _ detail: String, status: Int? = nil, body: [UInt8] = [],
        latencyMicroseconds: Int = 0
    ) {
        self.reason = reason
        self.detail = detail
        self.status = status
        self.body = body
        self.latencyMicroseconds = latencyMicroseconds
    }
}

extension WebFailure: CustomStringConvertible {
    package var description: String { "\(reason.rawValue): \(detail)" }
}

extension WebFailure.Reason {
    /// The reason for libcurl's result code (curl/curl.h).
    init(_ code: CURLcode) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: self = .nameUnresolved
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .proxyFailed
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: self = .tlsUnverified
        case CURLE_SSL_CONNECT_ERROR, CURLE_USE_SSL_FAILED, CURLE_SSL_CLIENTCERT: self = .tlsFailed
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER:
            self = .tlsSettings
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM: self = .reset
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
            self = .answerMalformed
        case CURLE_URL_MALFORMAT: self = .requestInvalid
        case CURLE_ABORTED_BY_CALLBACK: self = .canceled
        default: self = .failed
        }
    }
}
