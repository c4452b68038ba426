import COpenSSL

/// HMAC (RFC 2104) with SHA-256 or SHA-512 (RFC 4231).
package enum HMAC {
    /// The digest inside.
    package enum Algorithm: String, Sendable, CaseIterable {
        case sha256, sha512

        /// Length of a code in bytes.
        package var byteCount: Int {
            switch self {
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    /// The code of `message` under `key`. Any length of key is allowed, an empty one too (RFC 2104
    /// section 2); whoever takes a key from a person refuses the empty one there. Compare codes
    /// with `constantTimeEqual`.
    package static func code(_ algorithm: Algorithm, key: [UInt8], message: [UInt8]) -> [UInt8] {
        code(algorithm, key: key, parts: [message[...]])
    }

    /// The code of `parts`, one after the other, as if they were joined.
    package static func code(
        _ algorithm: Algorithm, key: [UInt8], parts: [ArraySlice<UInt8>]
    ) -> [UInt8] {
        let pool =
            switch algorithm {
            case .sha256: sha256
            case .sha512: sha512
            }
        let byteCount = algorithm.byteCount
        return [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            let done = pool.withContext { context in
                start(context, key: key)
                    && parts.allSatisfy { part in
                        part.withUnsafeBufferPointer {
                            EVP_MAC_update(context, $0.baseAddress, $0.count) == 1
                        }
                    }
                    && EVP_MAC_final(context, output.baseAddress, nil, byteCount) == 1
            }
            // As with a digest, only missing memory can be the cause.
            guard done == true else { fatalError("OpenSSL cannot compute an HMAC") }
            count = byteCount
        }
    }

    private static let sha256 = pool(digest: "SHA256")
    private static let sha512 = pool(digest: "SHA512")

    private static func start(_ context: OpaquePointer, key: [UInt8]) -> Bool {
        // A null key would keep the key of the last use, so an empty key needs an address too.
        if key.isEmpty {
            var nothing: UInt8 = 0
            return EVP_MAC_init(context, &nothing, 0, nil) == 1
        }
        return key.withUnsafeBufferPointer {
            EVP_MAC_init(context, $0.baseAddress, $0.count, nil) == 1
        }
    }

    private static func pool(digest: String) -> ContextPool {
        ContextPool(
            make: {
                guard let algorithm = EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
                // The context keeps its own reference to the algorithm.
                defer { EVP_MAC_free(algorithm) }
                guard let context = EVP_MAC_CTX_new(algorithm) else { return nil }
                var name = Array(digest.utf8CString)
                let set = name.withUnsafeMutableBufferPointer { name in
                    var parameters = [
                        ipnd_mac_digest_param(name.baseAddress), OSSL_PARAM_construct_end(),
                    ]
                    return EVP_MAC_CTX_set_params(context, &parameters) == 1
                }
                guard set else {
                    EVP_MAC_CTX_free(context)
                    return nil
                }
                return context
            },
            destroy: { EVP_MAC_CTX_free($0) })
    }
}
