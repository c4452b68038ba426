import COpenSSL

/// A provider's RSA key, ready to verify. Any number of threads may use it at once.
package struct RSAPublicKey: Sendable {
    /// The shortest modulus accepted, in bits (NIST SP 800-131A).
    package static let bitsMin = 2048
    /// The longest modulus accepted, in bits.
    package static let bitsMax = 8192

    /// Length of the modulus, and so of every signature, in bytes.
    package let modulusBytes: Int

    private let contexts: ContextPool

    /// Reads PEM ("PUBLIC KEY", "RSA PUBLIC KEY") or bare Base64 of the DER form, with or without
    /// line breaks.
    ///
    /// - Throws: `KeyError`; for a private key `.privateKeyGiven`, however it is wrapped.
    package init(text: String) throws(KeyError) {
        let given = try PublicKeyText(text)
        let key = try Self.parse(given)
        try key.requireSoundRSA()
        modulusBytes = Int(EVP_PKEY_get_size(key.pointer))
        contexts = key.signatureContexts { EVP_PKEY_verify_init($0) }
    }

    /// Whether `signature` is the key owner's RSASSA-PKCS1-v1_5 signature with SHA-256 over
    /// `parts`, one after the other, as if they were joined (RFC 8017 section 8.2.2). A signature
    /// of another length than the modulus is none.
    package func verifySHA256(message parts: [ArraySlice<UInt8>], signature: [UInt8]) -> Bool {
        verifySHA256(signature) { digest in
            for part in parts { digest.add(part) }
        }
    }

    /// The same for a message that `addParts` gives piece by piece.
    package func verifySHA256(
        _ signature: [UInt8], of addParts: (DigestInput) -> Void
    ) -> Bool {
        guard signature.count == modulusBytes else { return false }
        return withUnsafeTemporaryAllocation(byteCount: SHA256.byteCount, alignment: 8) { digest in
            DigestAlgorithm.sha256.hash(into: digest) { addParts(DigestInput($0)) }
            let verified = contexts.withContext { context in
                signature.withUnsafeBufferPointer { signature in
                    EVP_PKEY_verify(
                        context, signature.baseAddress, signature.count,
                        digest.bindMemory(to: UInt8.self).baseAddress, digest.count)
                }
            }
            guard verified == 1 else {
                // A false signature leaves its reasons in this thread's queue, and whoever asks
                // OpenSSL next on this thread would take them for its own.
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
        // Before anything is tried leniently: a private key in bare Base64 deserves its own words.
        if decode(given.der, { d2i_AutoPrivateKey(nil, &$0, $1) }) != nil { throw .privateKeyGiven }
        if given.form != .spki,
            let key = decode(given.der, { d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1) })
        {
            return key
        }
        if isCertificate(given.der) { throw .certificateGiven }
        throw .malformed
    }

    /// Runs one of OpenSSL's `d2i` functions, which moves the pointer behind what it read: bytes
    /// left over make it no key.
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
