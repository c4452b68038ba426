import COpenSSL

/// A provider's RSA key, prepared for verifying. Any number of threads may use it at once.
package struct RSAPublicKey: Sendable {
    /// The shortest modulus accepted, in bits (NIST SP 800-131A).
    package static let bitsMin = 2048
    /// The longest modulus accepted, in bits.
    package static let bitsMax = 8192

    /// Length of the modulus, and so of every signature, in bytes.
    package let modulusBytes: Int

    private let contexts: ContextPool
    private let sha1Contexts: ContextPool

    /// Reads PEM ("PUBLIC KEY", "RSA PUBLIC KEY") or bare Base64 of the DER form, with or without
    /// line breaks.
    ///
    /// - Throws: `KeyError`; for a private key in any form `.privateKeyGiven`.
    package init(text: String) throws(KeyError) {
        self = try RSAPublicKey(Self.parse(PublicKeyText(text)))
    }

    init(_ key: KeyHandle) throws(KeyError) {
        try key.requireSoundRSA()
        modulusBytes = Int(EVP_PKEY_get_size(key.pointer))
        contexts = key.signatureContexts { EVP_PKEY_verify_init($0) }
        sha1Contexts = key.signatureContexts(EVP_sha1) { EVP_PKEY_verify_init($0) }
    }

    /// Whether `signature` is the key owner's RSASSA-PKCS1-v1_5 signature with SHA-256 over the
    /// concatenation of `parts` (RFC 8017 section 8.2.2). A signature of another length than the
    /// modulus is invalid.
    package func verifySHA256(message parts: [ArraySlice<UInt8>], signature: [UInt8]) -> Bool {
        verifySHA256(signature) { digest in
            for part in parts { digest.add(part) }
        }
    }

    /// The same for a message that `addParts` adds piece by piece.
    package func verifySHA256(
        _ signature: [UInt8], of addParts: (DigestInput) -> Void
    ) -> Bool {
        verify(signature, .sha256, contexts, of: addParts)
    }

    /// The same with SHA-1. It is broken as a signature and used only where an endpoint permits it.
    package func verifySHA1(_ signature: [UInt8], of addParts: (DigestInput) -> Void) -> Bool {
        verify(signature, .sha1, sha1Contexts, of: addParts)
    }

    private func verify(
        _ signature: [UInt8], _ algorithm: DigestAlgorithm, _ contexts: ContextPool,
        of addParts: (DigestInput) -> Void
    ) -> Bool {
        guard signature.count == modulusBytes else { return false }
        return withUnsafeTemporaryAllocation(byteCount: algorithm.byteCount, alignment: 8) {
            digest in
            algorithm.hash(into: digest) { addParts(DigestInput($0)) }
            let verified = contexts.withContext { context in
                signature.withUnsafeBufferPointer { signature in
                    EVP_PKEY_verify(
                        context, signature.baseAddress, signature.count,
                        digest.bindMemory(to: UInt8.self).baseAddress, digest.count)
                }
            }
            guard verified == 1 else {
                // An invalid signature leaves errors in this thread's queue, which the next caller
                // of OpenSSL on this thread would take for its own.
                ERR_clear_error()
                return false
            }
            return true
        }
    }

    private static func parse(_ given: PublicKeyText) throws(KeyError) -> KeyHandle {
        defer { ERR_clear_error() }
        if given.form != .pkcs1, let key = decode(given.der, { d2i_PUBKEY(nil, &$0, $1) }) {
            return key
        }
        // Checked before the more lenient formats: a private key in bare Base64 has its own error.
        if decode(given.der, { d2i_AutoPrivateKey(nil, &$0, $1) }) != nil { throw .privateKeyGiven }
        if given.form != .spki,
            let key = decode(given.der, { d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1) })
        {
            return key
        }
        if isCertificate(given.der) { throw .certificateGiven }
        throw .malformed
    }

    /// Runs one of OpenSSL's `d2i` functions, which moves the pointer after what it read. Trailing
    /// bytes make the key invalid.
    private static func decode(
        _ der: [UInt8], _ read: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
    ) -> KeyHandle? {
        der.withUnsafeBufferPointer { der in
            guard let start = der.baseAddress else { return nil }
            var next: UnsafePointer<UInt8>? = start
            guard let key = read(&next, der.count).map(KeyHandle.init(owning:)) else { return nil }
            return next == start + der.count ? key : nil
        }
    }

    private static func isCertificate(_ der: [UInt8]) -> Bool {
        der.withUnsafeBufferPointer { der in
            var next = der.baseAddress
            guard let certificate = d2i_X509(nil, &next, der.count) else { return false }
            X509_free(certificate)
            return true
        }
    }
}
