import COpenSSL

/// What a listener needs to serve TLS: certificates with their keys, and whom to trust as a client.
///
/// TLS 1.2 and 1.3, ECDHE with AEAD only, no renegotiation, compression, tickets, session cache or
/// early data. ALPN is `http/1.1` or none. Any number of threads may start sessions from one
/// context; to take up new files, make a new context.
package final class TLSContext: Sendable {
    /// The certificates in the order of the configuration; the first serves whoever names no host,
    /// or an unknown one.
    package let certificates: [TLSCertificate]

    /// When the first of the certificates ceases to be valid, in seconds since 1970 UTC.
    package var notAfter: Int64 { certificates.map(\.notAfter).min() ?? 0 }

    let hosts: VirtualHosts

    /// - Parameters:
    ///   - certificateFile: PEM, the leaf first and then its intermediates.
    ///   - keyFile: PEM, without a passphrase.
    ///   - clientCAFile: PEM; when given, only clients with a certificate from one of these
    ///     authorities are served.
    ///   - additional: More certificates, picked by the host that a client names (SNI, RFC 6066
    ///     section 3).
    /// - Throws: `TLSError`, which names the file that a person must mend.
    package init(
        certificateFile: String, keyFile: String, clientCAFile: String? = nil,
        additional: [(cert: String, key: String)] = []
    ) throws(TLSError) {
        var contexts: [ContextHandle] = []
        var certificates: [TLSCertificate] = []
        for (certificate, key) in [(certificateFile, keyFile)] + additional {
            let context = try Self.makeContext(
                certificate: certificate, key: key, clientCA: clientCAFile)
            contexts.append(context)
            certificates.append(
                try TLSCertificate(
                    file: certificate, certificate: SSL_CTX_get0_certificate(context.pointer)))
        }
        self.certificates = certificates
        hosts = VirtualHosts(contexts)
    }

    private static func makeContext(
        certificate: String, key: String, clientCA: String?
    ) throws(TLSError) -> ContextHandle {
        let context = try ContextHandle(method: TLS_server_method())
        try context.configureProtocol(options: ipnd_SSL_OP_server())
        // SSL_OP_NO_TICKET alone would leave TLS 1.3 handing out tickets that point into the
        // (absent) cache.
        guard SSL_CTX_set_num_tickets(context.pointer, 0) == 1,
            SSL_CTX_set_max_early_data(context.pointer, 0) == 1
        else { throw .setupFailed(OpenSSLFailure().detail) }
        try context.useCertificate(certificate, key: key)
        SSL_CTX_set_alpn_select_cb(
            context.pointer,
            { _, selected, selectedCount, offered, offeredCount, _ in
                ApplicationProtocol.select(
                    from: UnsafeBufferPointer(start: offered, count: Int(offeredCount)),
                    selected, selectedCount)
            }, nil)
        if let clientCA { try requireClientCertificate(context, authorities: clientCA) }
        return context
    }

    private static func requireClientCertificate(
        _ context: ContextHandle, authorities file: String
    ) throws(TLSError) {
        try context.trust(file)
        // The names that the server sends along, so that a client with several certificates can
        // choose.
        guard let names = SSL_load_client_CA_file(file) else {
            ERR_clear_error()
            throw .notPEM(file)
        }
        SSL_CTX_set_client_CA_list(context.pointer, names)
        SSL_CTX_set_verify(
            context.pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }
}
