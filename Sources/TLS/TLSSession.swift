import COpenSSL
import Glibc

/// One TLS connection over a non-blocking descriptor, which the caller watches and closes.
///
/// Each operation does what it can at once and returns a `Step` that says what to wait for before
/// calling it again. OpenSSL writes with `write(2)`, so the process must ignore SIGPIPE. With
/// edge-triggered readiness, read until `wantsRead`.
///
/// `@unchecked Sendable` is sound: the value cannot be copied and every operation is `mutating`, so
/// one owner at a time uses the session, on any thread; OpenSSL binds no session to a thread.
package struct TLSSession: ~Copyable, @unchecked Sendable {
    /// The result of an operation.
    package enum Step: Equatable, Sendable {
        /// Complete; this many bytes were read or written (none in a handshake).
        case done(Int)
        /// Call again when the descriptor can be read.
        case wantsRead
        /// Call again when the descriptor can be written.
        case wantsWrite
        /// The peer ended the stream properly, with `close_notify`.
        case closed
        /// The connection is lost. Every later call returns the same.
        case failed(TLSError)
    }

    private enum Phase {
        case handshaking, open
        case failed(TLSError)
    }

    /// Nil only if OpenSSL had no memory for a session; `phase` is `failed` from the start then.
    let ssl: OpaquePointer?
    /// Keeps the objects alive that the session's callbacks use.
    private let owner: AnyObject
    private var phase = Phase.handshaking

    /// Starts the server's side of a connection that was accepted on `descriptor`.
    package init(accepting context: TLSContext, descriptor: Int32) {
        owner = context
        ssl = SSL_new(context.hosts.first.pointer)
        guard ssl != nil, SSL_set_fd(ssl, descriptor) == 1 else {
            phase = .failed(.setupFailed(OpenSSLFailure().detail))
            return
        }
        SSL_set_accept_state(ssl)
    }

    /// Starts the client's side of a connection on `descriptor` to `host`, a name or an address as
    /// in a URL. The handshake fails unless the certificate is trusted and issued for that host
    /// (except with `TLSClient.Trust.anyone`).
    package init(connecting client: TLSClient, descriptor: Int32, host: String) {
        owner = client
        ssl = SSL_new(client.context.pointer)
        guard ssl != nil, SSL_set_fd(ssl, descriptor) == 1, Self.expect(host, ssl) else {
            phase = .failed(.setupFailed(OpenSSLFailure().detail))
            return
        }
        SSL_set_connect_state(ssl)
    }

    deinit {
        SSL_free(ssl)
    }

    /// Performs the handshake. `done(0)` means that data may flow; with `clientCAFile` the peer is
    /// authenticated then.
    package mutating func handshake() -> Step {
        let step = run { ssl in SSL_do_handshake(ssl) }
        guard case .done = step else { return step }
        phase = .open
        return .done(0)
    }

    /// Releases the record buffers, 33 KiB, until bytes arrive: OpenSSL by itself keeps them
    /// throughout a handshake (SSL_free_buffers(3)).
    package mutating func freeBuffers() { _ = SSL_free_buffers(ssl) }

    /// Reads the available bytes, at most the size of `buffer`. Returns `done(0)` only for an empty
    /// buffer.
    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        guard buffer.count > 0 else { return .done(0) }
        var count = 0
        let step = run { ssl in SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count) }
        guard case .done = step else { return step }
        return .done(count)
    }

    /// Writes a part of `buffer` or all of it. After `wantsRead` or `wantsWrite` the same bytes
    /// must be passed again, from any address: OpenSSL has already made a record of them.
    package mutating func write(_ buffer: UnsafeRawBufferPointer) -> Step {
        guard buffer.count > 0 else { return .done(0) }
        var count = 0
        let step = run { ssl in SSL_write_ex(ssl, buffer.baseAddress, buffer.count, &count) }
        guard case .done = step else { return step }
        return .done(count)
    }

    /// Sends `close_notify`. `done(0)` means that it was sent and the peer's has not arrived, which
    /// is enough to close the descriptor (RFC 8446 section 6.1). `closed` means that both were
    /// exchanged.
    package mutating func shutdown() -> Step {
        // OpenSSL forbids this before the handshake has finished and after a fatal error; there is
        // nothing to end properly then.
        guard case .open = phase else { return .done(0) }
        // Zero is not an error here: the peer's alert is still missing (SSL_shutdown(3)).
        var result: Int32 = 0
        let step = run { ssl in
            result = SSL_shutdown(ssl)
            return result == 0 ? 1 : result
        }
        guard case .done = step else { return step }
        return result == 1 ? .closed : .done(0)
    }

    /// Runs one of OpenSSL's operations, which return 1 for success, and translates its result.
    private mutating func run(_ operation: (OpaquePointer?) -> Int32) -> Step {
        if case .failed(let error) = phase { return .failed(error) }
        // SSL_get_error reads this thread's queue, where another session may have left an entry.
        ERR_clear_error()
        let result = operation(ssl)
        if result == 1 { return .done(0) }
        let systemError = errno
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL:
            return fail(systemError == 0 ? .unexpectedEOF : .connectionLost(errno: systemError))
        default: return fail(failure())
        }
    }

    private mutating func fail(_ error: TLSError) -> Step {
        ERR_clear_error()
        phase = .failed(error)
        return .failed(error)
    }

    private func failure() -> TLSError {
        let failure = OpenSSLFailure()
        if failure.isReason(SSL_R_UNEXPECTED_EOF_WHILE_READING, of: ERR_LIB_SSL) {
            return .unexpectedEOF
        }
        guard case .handshaking = phase else { return .record(failure.detail) }
        if failure.isReason(SSL_R_HTTP_REQUEST, of: ERR_LIB_SSL)
            || failure.isReason(SSL_R_HTTPS_PROXY_REQUEST, of: ERR_LIB_SSL)
        {
            return .plainHTTP
        }
        guard failure.isReason(SSL_R_CERTIFICATE_VERIFY_FAILED, of: ERR_LIB_SSL),
            let why = X509_verify_cert_error_string(SSL_get_verify_result(ssl))
        else { return .handshake(failure.detail) }
        return .handshake("\(failure.detail): \(String(cString: why))")
    }

    /// Sends the host to the server (names only, RFC 6066 section 3) and requires it in the
    /// certificate.
    private static func expect(_ host: String, _ ssl: OpaquePointer?) -> Bool {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let bare = isBracketed ? String(host.dropFirst().dropLast()) : host
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), bare) == 1 { return true }
        ERR_clear_error()
        return SSL_set1_host(ssl, bare) == 1 && ipnd_SSL_set_tlsext_host_name(ssl, bare) == 1
    }
}

extension TLSSession {
    /// The subject of the peer's verified certificate, in RFC 2253 form with everything outside
    /// printable ASCII escaped; nil without a certificate.
    package var peerCertificateSubject: String? {
        guard let ssl, let certificate = SSL_get0_peer_certificate(ssl) else { return nil }
        return TLSCertificate.subject(of: certificate)
    }

    /// The host that the client named (SNI), or nil. Sent by the peer: escape it for logs and do
    /// not trust it.
    package var serverName: String? {
        ssl.flatMap { SSL_get_servername($0, TLSEXT_NAMETYPE_host_name) }.map {
            String(cString: $0)
        }
    }

    /// Whether the handshake resumed an earlier session.
    package var isResumed: Bool { ssl.map { SSL_session_reused($0) == 1 } ?? false }

    /// The protocol version, "TLSv1.2" or "TLSv1.3"; before the handshake, the highest possible.
    package var protocolVersion: String {
        ssl.map { String(cString: SSL_get_version($0)) } ?? "unknown"
    }

    /// OpenSSL's name of the cipher suite, or nil before the handshake.
    package var cipher: String? {
        ssl.flatMap { SSL_get_current_cipher($0) }.flatMap { SSL_CIPHER_get_name($0) }
            .map { String(cString: $0) }
    }

    /// Whether bytes were taken from the descriptor that `read` has not returned yet, and that
    /// readiness will not report.
    package var hasBufferedInput: Bool {
        ssl.map { SSL_has_pending($0) == 1 } ?? false
    }
}
