import COpenSSL

/// A client's TLS settings: the authorities that it trusts, and its own certificate.
package final class TLSClient: Sendable {
    /// Which server certificates are accepted.
    package enum Trust: Sendable, Equatable {
        /// Certificates for the requested host, issued by an authority that the operating system
        /// trusts.
        case systemRoots
        /// Certificates for the requested host, issued by an authority in this PEM file.
        case file(String)
        /// Any certificate: encryption without authentication. For local testing only.
        case anyone
    }

    let context: ContextHandle

    /// - Parameters:
    ///   - trust: Which server certificates are accepted.
    ///   - identity: The client's own certificate chain and key in PEM, for servers that request
    ///     them.
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
        // Zero means success here, unlike in OpenSSL's other functions
        // (SSL_CTX_set_alpn_protos(3)).
        guard SSL_CTX_set_alpn_protos(context.pointer, protocols, UInt32(protocols.count)) == 0
        else { throw .setupFailed(OpenSSLFailure().detail) }
    }
}
