import COpenSSL
import Glibc

/// Owns one `SSL_CTX`.
///
/// `@unchecked Sendable` is sound: the context is not changed after the initializer of its owner
/// (`TLSContext`, `TLSClient`) has returned, and OpenSSL allows sessions to be created from an
/// unchanging context on any number of threads.
final class ContextHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(method: OpaquePointer?) throws(TLSError) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(method) else { throw .setupFailed(OpenSSLFailure().detail) }
        self.pointer = pointer
        // Without this callback OpenSSL would prompt for a key's passphrase on the terminal.
        SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in -1 }
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    /// Configures TLS 1.2 and 1.3 with ephemeral keys on X25519, P-256 or P-384 and AEAD ciphers
    /// only. Buffers are released while a connection is idle, and a stream that ends without
    /// `close_notify` is an error.
    func configureProtocol(options: UInt64) throws(TLSError) {
        ipnd_SSL_CTX_set_mode(
            pointer,
            Int(
                SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
                    | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER))
        SSL_CTX_set_options(pointer, options)
        SSL_CTX_clear_options(pointer, ipnd_SSL_OP_ignore_unexpected_eof())
        ipnd_SSL_CTX_set_session_cache_mode(pointer, Int(SSL_SESS_CACHE_OFF))
        let isSet =
            ipnd_SSL_CTX_set_min_proto_version(pointer, TLS1_2_VERSION) == 1
            && ipnd_SSL_CTX_set_max_proto_version(pointer, TLS1_3_VERSION) == 1
            && SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1
            && ipnd_SSL_CTX_set1_groups_list(pointer, "X25519:P-256:P-384") == 1
        guard isSet else { throw .setupFailed(OpenSSLFailure().detail) }
    }

    /// Loads the chain (leaf first) and its key.
    func useCertificate(_ certificate: String, key: String) throws(TLSError) {
        try Self.requireReadable(certificate)
        try Self.requireReadable(key)
        ERR_clear_error()
        guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
            let failure = OpenSSLFailure()
            if failure.isFrom(ERR_LIB_PEM) { throw .notPEM(certificate) }
            throw .certificateRefused(certificate, detail: failure.detail)
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
            throw Self.keyError(OpenSSLFailure(), certificate: certificate, key: key)
        }
        guard SSL_CTX_check_private_key(pointer) == 1 else {
            ERR_clear_error()
            throw .keyMismatch(certificate: certificate, key: key)
        }
    }

    /// Trusts only the certificates in `file`.
    func trust(_ file: String) throws(TLSError) {
        try Self.requireReadable(file)
        ERR_clear_error()
        guard SSL_CTX_load_verify_file(pointer, file) == 1 else {
            ERR_clear_error()
            throw .notPEM(file)
        }
    }

    private static func keyError(
        _ failure: OpenSSLFailure, certificate: String, key: String
    ) -> TLSError {
        if failure.isReason(X509_R_KEY_VALUES_MISMATCH, of: ERR_LIB_X509)
            || failure.isReason(X509_R_KEY_TYPE_MISMATCH, of: ERR_LIB_X509)
        {
            return .keyMismatch(certificate: certificate, key: key)
        }
        let isPassphrase =
            failure.isReason(PEM_R_BAD_PASSWORD_READ, of: ERR_LIB_PEM)
            || failure.isReason(PEM_R_PROBLEMS_GETTING_PASSWORD, of: ERR_LIB_PEM)
            || failure.isReason(Int32(ERR_R_INTERRUPTED_OR_CANCELLED), of: ERR_LIB_CRYPTO)
            || failure.isReason(PEM_R_BAD_DECRYPT, of: ERR_LIB_PEM)
        return isPassphrase ? .keyEncrypted(key) : .notPEM(key)
    }

    /// Checks that a file can be read. OpenSSL reports a missing file in several ways; the system
    /// call reports it clearly.
    private static func requireReadable(_ path: String) throws(TLSError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { throw .fileMissing(path) }
            throw .fileUnreadable(path, errno: code)
        }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        // Opening a directory succeeds, reading it fails here.
        if Glibc.read(descriptor, &byte, 1) < 0 { throw .fileUnreadable(path, errno: errno) }
    }
}
