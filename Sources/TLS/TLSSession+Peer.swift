import COpenSSL

extension TLSSession {
    /// The subject of the certificate that the peer proved to own, in RFC 2253 form with everything
    /// outside printable ASCII escaped; nil when it showed none.
    package var peerCertificateSubject: String? {
        guard let ssl, let certificate = SSL_get0_peer_certificate(ssl) else { return nil }
        return TLSCertificate.subject(of: certificate)
    }

    /// The host that the client named (SNI), or nil. Words of the peer: fit to log after escaping,
    /// not to trust.
    package var serverName: String? {
        ssl.flatMap { SSL_get_servername($0, TLSEXT_NAMETYPE_host_name) }.map {
            String(cString: $0)
        }
    }

    /// The protocol in use, "TLSv1.2" or "TLSv1.3"; before the handshake, the highest possible.
    package var protocolVersion: String {
        ssl.map { String(cString: SSL_get_version($0)) } ?? "unknown"
    }

    /// The cipher suite in use by OpenSSL's name, or nil before the handshake.
    package var cipher: String? {
        ssl.flatMap { SSL_get_current_cipher($0) }.flatMap { SSL_CIPHER_get_name($0) }
            .map { String(cString: $0) }
    }

    /// Whether bytes were taken from the descriptor that no `read` has returned yet, so that no
    /// readiness will announce them.
    package var hasBufferedInput: Bool {
        ssl.map { SSL_has_pending($0) == 1 } ?? false
    }
}
