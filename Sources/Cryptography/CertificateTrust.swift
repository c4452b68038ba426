import COpenSSL
import Synchronization

/// The authorities that certificates are checked against.
///
/// `@unchecked Sendable` is sound: the store is filled before anything else sees it, and OpenSSL
/// guards what it loads later by the store's lock.
package final class CertificateTrust: @unchecked Sendable {
    /// The result of checking a certificate.
    package enum Verdict: Sendable {
        /// Issued by one of the authorities, and every certificate of the chain is valid then, as
        /// it is in all these seconds since 1970.
        case trusted(ClosedRange<Int64>)
        /// Issued by one of the authorities, but a certificate of the chain is not valid then.
        case expired
        case untrusted
    }

    private let store: OpaquePointer

    /// - Parameters:
    ///   - certificates: Roots, and the intermediates between them and a leaf that comes alone.
    ///   - includesSystem: Whether the system's roots are trusted, too.
    /// - Throws: `KeyError.operationFailed` where OpenSSL has no memory.
    package init(_ certificates: [Certificate], includesSystem: Bool) throws(KeyError) {
        defer { ERR_clear_error() }
        guard let store = X509_STORE_new() else { throw .operationFailed }
        self.store = store
        for certificate in certificates where X509_STORE_add_cert(store, certificate.pointer) != 1 {
            throw .operationFailed
        }
        if includesSystem, X509_STORE_set_default_paths(store) != 1 { throw .operationFailed }
    }

    deinit { X509_STORE_free(store) }

    /// Whether `certificate` was issued by one of the authorities, and is valid at a time in
    /// seconds since 1970. Names are not looked at.
    package func judge(_ certificate: Certificate, at seconds: Int64) -> Verdict {
        if let validity = verify(certificate, at: seconds) { return .trusted(validity) }
        return verify(certificate, at: nil) == nil ? .untrusted : .expired
    }

    /// When the chain of `certificate` is valid; nil where there is none to an authority, or none
    /// that is valid at `seconds`.
    private func verify(_ certificate: Certificate, at seconds: Int64?) -> ClosedRange<Int64>? {
        defer { ERR_clear_error() }
        guard let context = X509_STORE_CTX_new() else { return nil }
        defer { X509_STORE_CTX_free(context) }
        guard X509_STORE_CTX_init(context, store, certificate.pointer, nil) == 1 else {
            return nil
        }
        // Level 2 of SSL_CTX_set_security_level(3): 112 bits, so no SHA-1 below a root.
        X509_VERIFY_PARAM_set_auth_level(X509_STORE_CTX_get0_param(context), 2)
        if let seconds {
            X509_STORE_CTX_set_time(context, 0, time_t(seconds))
        } else {
            X509_STORE_CTX_set_flags(context, UInt(X509_V_FLAG_NO_CHECK_TIME))
        }
        guard X509_verify_cert(context) == 1, let chain = X509_STORE_CTX_get0_chain(context) else {
            return nil
        }
        var validity = Int64.min...Int64.max
        for index in 0..<OPENSSL_sk_num(chain) {
            guard let own = OPENSSL_sk_value(chain, index).map(OpaquePointer.init).flatMap(
                Certificate.validity)
            else { return nil }
            // Where times are not looked at, two may never be valid together.
            validity = own.overlaps(validity) ? validity.clamped(to: own) : own
        }
        return validity
    }
}

/// Public keys of certificates that were found to be trusted, so that a chain is checked once and
/// not with every message. Forgets all when it is full.
package final class TrustedKeys: Sendable {
    private struct Entry {
        let key: RSAPublicKey
        let validity: ClosedRange<Int64>
    }

    private static let countMax = 32

    private let entries = Mutex<[String: Entry]>([:])

    package init() {}

    /// The key of the certificate `pem`, where it is known to be trusted at a time in seconds since
    /// 1970.
    package func key(_ pem: String, at seconds: Int64) -> RSAPublicKey? {
        entries.withLock { entries in
            entries[pem].flatMap { $0.validity.contains(seconds) ? $0.key : nil }
        }
    }

    package func add(_ key: RSAPublicKey, of pem: String, validity: ClosedRange<Int64>) {
        entries.withLock { entries in
            if entries.count >= Self.countMax { entries.removeAll() }
            entries[pem] = Entry(key: key, validity: validity)
        }
    }
}
