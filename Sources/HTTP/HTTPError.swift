/// Why a request is refused: answer with `status`, say `Connection: close`, and close. After any of
/// these the place in the byte stream is lost or not worth keeping (RFC 9112 §9.6, §11.2).
package struct HTTPError: Error, Sendable, Equatable {
    /// The status of the answer.
    package let status: Int
    /// A snake_case code for the log line, the metric and the rejection log; see `Cause`.
    package let reason: String
    /// The `Allow` field that a 405 must carry (RFC 9110 §15.5.6).
    package let allow: String?

    package init(_ cause: Cause) {
        status = cause.status
        reason = cause.rawValue
        allow = cause == .methodNotAllowed ? Method.allowed : nil
    }

    /// A refusal that the server finds outside of HTTP, a broken PROXY header for one.
    package init(status: Int, reason: String, allow: String? = nil) {
        self.status = status
        self.reason = reason
        self.allow = allow
    }
}
