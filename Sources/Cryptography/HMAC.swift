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

    /// The code of `message` under `key`, which is used this once. Any length of key is allowed, an
    /// empty one too (RFC 2104 section 2); whoever takes a key from a person refuses the empty one
    /// there. Compare codes with `constantTimeEqual`.
    package static func code(_ algorithm: Algorithm, key: [UInt8], message: [UInt8]) -> [UInt8] {
        code(algorithm, key: key, parts: [message[...]])
    }

    /// The code of `parts`, one after the other, as if they were joined.
    package static func code(
        _ algorithm: Algorithm, key: [UInt8], parts: [ArraySlice<UInt8>]
    ) -> [UInt8] {
        HMACKey(algorithm, key).code(parts: parts)
    }
}
