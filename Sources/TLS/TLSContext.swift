import COpenSSL
import Glibc

/// A listener's TLS settings: certificates with their keys, and the authorities trusted for
/// clients.
///
/// TLS 1.2 and 1.3, ECDHE with AEAD only, no renegotiation, compression or early data. Sessions can
/// be resumed from a bounded cache in memory: a ticket only names an entry, so there is no ticket
/// key to rotate for forward secrecy. ALPN is `http/1.1` or none. Any number of threads may start
/// sessions from one context; to load new files, create a new context.
package final class TLSContext: Sendable {
    /// The certificates in the order of the configuration; the first serves clients that name no
    /// host or an unknown one.
    package let certificates: [TLSCertificate]

    /// Default number of remembered sessions.
    package static let defaultSessionsMax = 1000
    /// Lifetime of a resumable session in seconds.
    private static let sessionSeconds = 3600

    /// The earliest expiry of the certificates, in seconds since 1970 UTC.
    package var notAfter: Int64 { certificates.map(\.notAfter).min() ?? 0 }

    let hosts: VirtualHosts

    /// - Parameters:
    ///   - certificateFile: PEM, the leaf first and then its intermediates.
    ///   - keyFile: PEM, without a passphrase.
    ///   - clientCAFile: PEM; if given, only clients with a certificate from one of these
    ///     authorities are served.
    ///   - additional: More certificates, selected by the host that a client names (SNI, RFC 6066
    ///     section 3).
    ///   - sessionsMax: Number of sessions that are remembered, so that their clients need no full
    ///     handshake for the next connection; 0 for none.
    /// - Throws: `TLSError`, which names the file that a person must fix.
    package init(
        certificateFile: String, keyFile: String, clientCAFile: String? = nil,
        additional: [(cert: String, key: String)] = [],
        sessionsMax: Int = TLSContext.defaultSessionsMax
    ) throws(TLSError) {
        var contexts: [ContextHandle] = []
        var certificates: [TLSCertificate] = []
        for (certificate, key) in [(certificateFile, keyFile)] + additional {
            let context = try Self.makeContext(
                certificate: certificate, key: key, clientCA: clientCAFile, sessionsMax: sessionsMax
            )
            contexts.append(context)
            certificates.append(
                try TLSCertificate(
                    file: certificate, certificate: SSL_CTX_get0_certificate(context.pointer)))
        }
        self.certificates = certificates
        hosts = VirtualHosts(contexts)
    }

    private static func makeContext(
        certificate: String, key: String, clientCA: String?, sessionsMax: Int
    ) throws(TLSError) -> ContextHandle {
        let context = try ContextHandle(method: TLS_server_method())
        try context.configureProtocol(options: ipnd_SSL_OP_server())
        guard SSL_CTX_set_max_early_data(context.pointer, 0) == 1 else {
            throw .setupFailed(OpenSSLFailure().detail)
        }
        try rememberSessions(context, at: sessionsMax)
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

    /// Enables the session cache. With SSL_OP_NO_TICKET the tickets of TLS 1.3 only name an entry
    /// of the cache (SSL_CTX_set_options(3)); none may be sent without a cache.
    private static func rememberSessions(
        _ context: ContextHandle, at most: Int
    ) throws(TLSError) {
        // All certificates of a listener share the sessions. OpenSSL resumes a session with a
        // client certificate only if the context has such an id.
        let name = Array("ipnd".utf8)
        guard SSL_CTX_set_num_tickets(context.pointer, most > 0 ? 1 : 0) == 1,
            SSL_CTX_set_session_id_context(context.pointer, name, UInt32(name.count)) == 1
        else { throw .setupFailed(OpenSSLFailure().detail) }
        guard most > 0 else { return }
        _ = ipnd_SSL_CTX_set_session_cache_mode(context.pointer, Int(SSL_SESS_CACHE_SERVER))
        _ = ipnd_SSL_CTX_sess_set_cache_size(context.pointer, most)
        SSL_CTX_set_timeout(context.pointer, sessionSeconds)
    }

    private static func requireClientCertificate(
        _ context: ContextHandle, authorities file: String
    ) throws(TLSError) {
        try context.trust(file)
        // The authorities' names, which the server sends so that a client with several certificates
        // can choose.
        guard let names = SSL_load_client_CA_file(file) else {
            ERR_clear_error()
            throw .notPEM(file)
        }
        SSL_CTX_set_client_CA_list(context.pointer, names)
        SSL_CTX_set_verify(
            context.pointer, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    }
}

/// The details of a certificate for logs and metrics.
package struct TLSCertificate: Sendable, Equatable {
    /// The certificate's file.
    package let file: String
    /// The subject in RFC 2253 form, control characters escaped.
    package let subject: String
    /// Expiry in seconds since 1970 UTC.
    package let notAfter: Int64

    init(file: String, certificate: OpaquePointer?) throws(TLSError) {
        var time = tm()
        guard let certificate, ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) == 1 else {
            ERR_clear_error()
            throw .certificateRefused(file, detail: "its notAfter is not a valid time")
        }
        self.file = file
        subject = Self.subject(of: certificate) ?? ""
        notAfter = Int64(timegm(&time))
    }

    /// The subject of `certificate` in RFC 2253 form, with everything outside printable ASCII
    /// escaped.
    static func subject(of certificate: OpaquePointer) -> String? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        let name = X509_get_subject_name(certificate)
        guard X509_NAME_print_ex(bio, name, 0, ipnd_XN_FLAG_RFC2253()) >= 0 else {
            ERR_clear_error()
            return nil
        }
        var data: UnsafeMutablePointer<CChar>?
        let count = ipnd_BIO_get_mem_data(bio, &data)
        return String(decoding: UnsafeRawBufferPointer(start: data, count: count), as: UTF8.self)
    }
}

/// Application-Layer Protocol Negotiation (RFC 7301): `http/1.1` is the only protocol offered.
enum ApplicationProtocol {
    /// The list of one name in wire form: its length and its bytes (RFC 7301 section 3.1).
    static let wireList: [UInt8] = [8] + Array("http/1.1".utf8)

    /// Selects from a client's list. A client that offers only other protocols gets the alert
    /// `no_application_protocol` (RFC 7301 section 3.2); OpenSSL does not call this for a client
    /// without a list.
    ///
    /// OpenSSL has already checked the framing of `offered`; the result points into it, as OpenSSL
    /// requires.
    static func select(
        from offered: UnsafeBufferPointer<UInt8>,
        _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ selectedCount: UnsafeMutablePointer<UInt8>?
    ) -> Int32 {
        var index = 0
        while index < offered.count {
            let end = index + 1 + Int(offered[index])
            guard end <= offered.count else { break }
            if offered[index..<end].elementsEqual(wireList) {
                selected?.pointee = offered.baseAddress.map { $0 + index + 1 }
                selectedCount?.pointee = offered[index]
                return SSL_TLSEXT_ERR_OK
            }
            index = end
        }
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
}
