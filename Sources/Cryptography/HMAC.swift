import COpenSSL

/// HMAC (RFC 2104) with SHA-1 (RFC 2202), SHA-256 or SHA-512 (RFC 4231).
public enum HMAC {
    /// The underlying digest.
    public enum Algorithm: String, Sendable, CaseIterable, Codable {
        case sha256, sha512
        /// Broken for signatures, but not known to be in an HMAC (RFC 6151 says so of MD5, too).
        case sha1

        /// Length of a code in bytes.
        package var byteCount: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            case .sha1: 20
            }
        }

        /// The plain digest of the concatenation of `parts`.
        package func hash(parts: [ArraySlice<UInt8>]) -> [UInt8] {
            switch self {
            case .sha256: DigestAlgorithm.sha256.hash(parts: parts)
            case .sha512: DigestAlgorithm.sha512.hash(parts: parts)
            case .sha1: DigestAlgorithm.sha1.hash(parts: parts)
            }
        }
    }

    /// The code of `message` under `key`, for a key that is used once. A key may have any length,
    /// even zero (RFC 2104 section 2); code that reads a key from a person must refuse an empty
    /// one. Compare codes with `constantTimeEqual`.
    package static func code(_ algorithm: Algorithm, key: [UInt8], message: [UInt8]) -> [UInt8] {
        code(algorithm, key: key, parts: [message[...]])
    }

    /// The code of the concatenation of `parts`.
    package static func code(
        _ algorithm: Algorithm, key: [UInt8], parts: [ArraySlice<UInt8>]
    ) -> [UInt8] {
        let contexts =
            switch algorithm {
            case .sha256: keyless256
            case .sha512: keyless512
            case .sha1: keyless1
            }
        return HMACKey.code(parts: parts, algorithm, contexts) { context in
            key.withUnsafeBufferPointer { HMACKey.start(context, $0.baseAddress, $0.count, nil) }
        }
    }

    // Setting up a context costs more than a short message. The key in an idle context is
    // overwritten by the next one.
    private static let keyless256 = HMACKey.contexts(.sha256, SecretBytes([]))
    private static let keyless512 = HMACKey.contexts(.sha512, SecretBytes([]))
    private static let keyless1 = HMACKey.contexts(.sha1, SecretBytes([]))
}

/// A key for HMAC, prepared for many messages: the precomputation of RFC 2104 section 4 is done
/// once. Any number of threads may use one key at once.
package struct HMACKey: Sendable {
    package let algorithm: HMAC.Algorithm
    private let contexts: ContextPool

    /// A key may have any length (RFC 2104 section 2).
    package init(_ algorithm: HMAC.Algorithm, _ key: [UInt8]) {
        self.algorithm = algorithm
        contexts = Self.contexts(algorithm, SecretBytes(key))
    }

    /// The code of `message`. Compare codes with `constantTimeEqual`.
    package func code(_ message: [UInt8]) -> [UInt8] { code(parts: [message[...]]) }

    /// The code of the concatenation of `parts`.
    package func code(parts: [ArraySlice<UInt8>]) -> [UInt8] {
        Self.code(parts: parts, algorithm, contexts) { context in
            // A null key keeps the context's key.
            EVP_MAC_init(context, nil, 0, nil) == 1
        }
    }

    @inline(__always)
    fileprivate static func code(
        parts: [ArraySlice<UInt8>], _ algorithm: HMAC.Algorithm, _ contexts: ContextPool,
        start: (OpaquePointer) -> Bool
    ) -> [UInt8] {
        let byteCount = algorithm.byteCount
        return [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            let done = contexts.withContext { context in
                start(context)
                    && parts.allSatisfy { part in
                        part.withUnsafeBufferPointer {
                            EVP_MAC_update(context, $0.baseAddress, $0.count) == 1
                        }
                    }
                    && EVP_MAC_final(context, output.baseAddress, nil, byteCount) == 1
            }
            // As with a digest, this fails only if memory runs out.
            guard done == true else { fatalError("OpenSSL cannot compute an HMAC") }
            count = byteCount
        }
    }

    fileprivate static func contexts(
        _ algorithm: HMAC.Algorithm, _ key: SecretBytes
    ) -> ContextPool {
        ContextPool(
            make: { makeContext(algorithm, key) },
            // Freeing wipes the key (`OPENSSL_secure_clear_free` inside the provider).
            destroy: { EVP_MAC_CTX_free($0) })
    }

    private static func makeContext(
        _ algorithm: HMAC.Algorithm, _ key: SecretBytes
    ) -> OpaquePointer? {
        guard let mac = EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
        // The context keeps its own reference to the algorithm.
        defer { EVP_MAC_free(mac) }
        guard let context = EVP_MAC_CTX_new(mac) else { return nil }
        var name = Array(algorithm.digestName.utf8CString)
        let isReady = name.withUnsafeMutableBufferPointer { name in
            var parameters = [ipnd_mac_digest_param(name.baseAddress), OSSL_PARAM_construct_end()]
            return key.withBytes { start(context, $0, key.count, &parameters) }
        }
        guard isReady else {
            EVP_MAC_CTX_free(context)
            return nil
        }
        return context
    }

    /// Gives a context its key.
    fileprivate static func start(
        _ context: OpaquePointer, _ key: UnsafePointer<UInt8>?, _ count: Int,
        _ parameters: UnsafePointer<OSSL_PARAM>?
    ) -> Bool {
        guard count > 0 else {
            // An empty key needs an address, because null means no key.
            var nothing: UInt8 = 0
            return EVP_MAC_init(context, &nothing, 0, parameters) == 1
        }
        return EVP_MAC_init(context, key, count, parameters) == 1
    }
}

extension HMAC.Algorithm {
    /// OpenSSL's name of the underlying digest.
    fileprivate var digestName: String {
        switch self {
        case .sha256: "SHA256"
        case .sha512: "SHA512"
        case .sha1: "SHA1"
        }
    }
}
