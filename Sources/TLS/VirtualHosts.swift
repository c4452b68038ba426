import COpenSSL

/// Selects the certificate for the host that a client names (SNI, RFC 6066 section 3).
final class VirtualHosts: Sendable {
    /// All contexts have the same settings but for the certificate, because a session that switches
    /// to another context takes over that context's protocol callback and client authorities.
    private let contexts: [ContextHandle]

    /// The context that every session begins with.
    var first: ContextHandle { contexts[0] }

    /// - Parameter contexts: At least one.
    init(_ contexts: [ContextHandle]) {
        self.contexts = contexts
        guard contexts.count > 1 else { return }
        // Unretained: a session keeps its `TLSContext` alive, which keeps this object, and only
        // handshakes call back.
        ipnd_SSL_CTX_set_tlsext_servername_callback(
            contexts[0].pointer,
            { session, _, hosts in
                guard let session, let hosts else { return SSL_TLSEXT_ERR_NOACK }
                return Unmanaged<VirtualHosts>.fromOpaque(hosts).takeUnretainedValue()
                    .select(for: session)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// An unknown host gets the first certificate, like a client that names none; the client will
    /// refuse it if necessary.
    private func select(for session: OpaquePointer) -> Int32 {
        guard let name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name) else {
            return SSL_TLSEXT_ERR_NOACK
        }
        for context in contexts {
            let certificate = SSL_CTX_get0_certificate(context.pointer)
            // A length of zero makes OpenSSL measure the text (X509_check_host(3)).
            if X509_check_host(certificate, name, 0, 0, nil) == 1 {
                // Null means that the session kept its old certificate, for lack of memory.
                let changed = SSL_set_SSL_CTX(session, context.pointer)
                return changed == nil ? SSL_TLSEXT_ERR_ALERT_FATAL : SSL_TLSEXT_ERR_OK
            }
        }
        ERR_clear_error()
        return SSL_TLSEXT_ERR_NOACK
    }
}
