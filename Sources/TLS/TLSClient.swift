import COpenSSL

/// What a client needs to speak to servers over TLS: whom it trusts, and who it is.
package final class TLSClient: Sendable {
    /// Whose certificates are accepted.
    package enum Trust: Sendable, Equatable {
        /// The authorities that the operating system trusts, and a certificate for the host that
        /// was asked for.
        case systemRoots
        /// The authorities in this PEM file only, and a certificate for the host that was asked
        /// for.
        case file(String)
        /// Anybody's: encryption without knowing with whom. For tries against one's own machine.
        case anyone
    }

    let context: ContextHandle

    /// - Parameters:
    ///   - trust: Whose certificates are accepted.
    ///   - identity: The client's own certificate chain and key in PEM, for servers that ask for
    ///     one.
    /// - Throws: `TLSError`, which names the file that a person must fix.
    package init(
        trust: Trust, identity: (certificateFile: String, keyFile: String)? = nil
    ) throws(TLSError) {
        context = try ContextHandle(method: TLS_client_method())
        try context.configureProtocol(options: ipnd_SSL_OP_client())
        switch trust {
        case .systemRoots:
            guard SSL_CTX_set_default_verify_paths(context.pointer) == 1 else {
                throw .setupFailed(OpenSSLFailure().detail)
            }
        case .file(let file): try context.trust(file)
        case .anyone: break
        }
        let mode = trust == .anyone ? SSL_VERIFY_NONE : SSL_VERIFY_PEER
        SSL_CTX_set_verify(context.pointer, mode, nil)
        if let identity {
            try context.useCertificate(identity.certificateFile, key: identity.keyFile)
        }
        let protocols = ApplicationProtocol.wireList
        // Zero means success here, unlike everywhere else (SSL_CTX_set_alpn_protos(3)).
        guard SSL_CTX_set_alpn_protos(context.pointer, protocols, UInt32(protocols.count)) == 0
        else { throw .setupFailed(OpenSSLFailure().detail) }
    }
}
