import COpenSSL
import Glibc

/// Why TLS cannot be set up (the first group: a person must fix a file), or why a connection failed
/// (the second).
package enum TLSError: Error, Equatable, Sendable {
    /// There is no such file.
    case fileMissing(String)
    /// The file exists but cannot be read, e.g. EACCES or EISDIR.
    case fileUnreadable(String, errno: Int32)
    /// The file holds no PEM block of the required kind.
    case notPEM(String)
    /// OpenSSL refuses the certificate, e.g. for an RSA key below 2048 bits.
    case certificateRefused(String, detail: String)
    /// The key does not belong to the certificate.
    case keyMismatch(certificate: String, key: String)
    /// The key is protected by a passphrase, which cannot be entered here.
    case keyEncrypted(String)
    /// OpenSSL could not create a context or a session: out of memory.
    case setupFailed(String)

    /// The peer sent HTTP without TLS.
    case plainHTTP
    /// The handshake failed, with OpenSSL's reason.
    case handshake(String)
    /// A record after the handshake was refused, or the peer sent an alert, with OpenSSL's reason.
    case record(String)
    /// The stream ended without `close_notify`, so the data before it may be incomplete (RFC 8446
    /// section 6.1).
    case unexpectedEOF
    /// The transport broke, e.g. ECONNRESET or EPIPE.
    case connectionLost(errno: Int32)

    /// The snake_case code for logs and metrics.
    package var reason: String {
        switch self {
        case .fileMissing: "tls_file_missing"
        case .fileUnreadable: "tls_file_unreadable"
        case .notPEM: "tls_file_not_pem"
        case .certificateRefused: "tls_certificate_refused"
        case .keyMismatch: "tls_key_mismatch"
        case .keyEncrypted: "tls_key_encrypted"
        case .setupFailed: "tls_setup"
        case .plainHTTP: "tls_plain_http"
        case .handshake: "tls_handshake"
        case .record: "tls_record"
        case .unexpectedEOF, .connectionLost: "tls_eof"
        }
    }
}

extension TLSError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .fileMissing(let file):
            "\(file): no such file."
        case .fileUnreadable(let file, let errno):
            "\(file): cannot be read: \(String(cString: strerror(errno)))."
        case .notPEM(let file):
            "\(file): contains no usable PEM block (certificate or key)."
        case .certificateRefused(let file, let detail):
            "\(file): OpenSSL refuses this certificate: \(detail)."
        case .keyMismatch(let certificate, let key):
            "\(key): this is not the private key of the certificate in \(certificate)."
        case .keyEncrypted(let file):
            "\(file): the key has a passphrase; remove it."
        case .setupFailed(let detail):
            "OpenSSL cannot set up TLS: \(detail)."
        case .plainHTTP:
            "The peer sent plain HTTP to a TLS port."
        case .handshake(let detail):
            "The TLS handshake failed: \(detail)."
        case .record(let detail):
            "The TLS connection failed: \(detail)."
        case .unexpectedEOF:
            "The peer ended the connection without close_notify."
        case .connectionLost(let errno):
            "Connection lost: \(String(cString: strerror(errno)))."
        }
    }
}

/// The first entry of this thread's OpenSSL error queue, which is the root cause of a failure.
/// Later entries come from the callers.
struct OpenSSLFailure {
    private let code: UInt

    /// Takes the first entry and empties the queue, as the next operation on this thread requires.
    init() {
        code = ERR_peek_error()
        ERR_clear_error()
    }

    /// OpenSSL's description: a constant text that never contains bytes from a peer.
    var detail: String {
        guard let text = ERR_reason_error_string(code) else { return "unknown reason" }
        return String(cString: text)
    }

    /// Whether the entry has this reason, e.g. `SSL_R_HTTP_REQUEST` of `ERR_LIB_SSL`.
    func isReason(_ reason: Int32, of library: Int32) -> Bool {
        isFrom(library) && ERR_GET_REASON(code) == reason
    }

    /// Whether that part of OpenSSL raised the error, e.g. `ERR_LIB_PEM`.
    func isFrom(_ library: Int32) -> Bool {
        ERR_GET_LIB(code) == library
    }
}
