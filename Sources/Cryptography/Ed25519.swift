import Bytes
import COpenSSL

/// A public key for Ed25519 signatures (RFC 8032). Any number of threads may use it at once.
package struct Ed25519PublicKey: Sendable {
    /// Length of a key in bytes.
    package static let byteCount = 32
    /// Length of a signature in bytes.
    package static let signatureByteCount = 64

    private let key: KeyHandle

    /// - Throws: ``KeyError``: `.wrongLength`, or `.malformed` for a point of small order, for
    ///   which anyone could forge signatures.
    package init(_ bytes: [UInt8]) throws(KeyError) {
        guard bytes.count == Self.byteCount else {
            throw .wrongLength(expected: Self.byteCount, given: bytes.count)
        }
        guard !Self.hasSmallOrder(bytes) else { throw .malformed }
        defer { ERR_clear_error() }
        guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
        else { throw .malformed }
        self.key = KeyHandle(owning: key)
    }

    /// Whether `signature` is the key owner's signature over `message` (RFC 8032 section 5.1.7).
    package func verify(message: [UInt8], signature: [UInt8]) -> Bool {
        guard signature.count == Self.signatureByteCount, let context = EVP_MD_CTX_new() else {
            return false
        }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1,
            EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        else {
            // An invalid signature leaves errors in this thread's queue.
            ERR_clear_error()
            return false
        }
        return true
    }

    /// Whether this is one of the eight points of small order, without regard to the sign bit,
    /// canonical or not (as in libsodium's `ge25519_has_small_order`). With such a key `S·B = R +
    /// k·A` can be solved without a private key.
    private static func hasSmallOrder(_ bytes: [UInt8]) -> Bool {
        let unsigned = bytes.dropLast() + [bytes[31] & 0x7f]
        return smallOrderPoints.contains { $0 == Array(unsigned) }
    }

    private static let smallOrderPoints: [[UInt8]] = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ].compactMap { Hex.decode($0) }
}

/// The provider's side of an Ed25519 signature, for sandboxes and tests.
package struct Ed25519PrivateKey: Sendable {
    /// Length of the seed, which is the private key (RFC 8032 section 5.1.5), in bytes.
    package static let seedByteCount = 32

    /// The public half.
    package let publicKey: [UInt8]
    private let key: KeyHandle

    /// - Parameter bytes: The seed, or the seed and the public key, as libsodium and Go write it.
    /// - Throws: ``KeyError``: `.wrongLength`, or `.malformed` if the public key does not match the
    ///   seed.
    package init(_ bytes: [UInt8]) throws(KeyError) {
        let pairByteCount = Self.seedByteCount + Ed25519PublicKey.byteCount
        guard bytes.count == Self.seedByteCount || bytes.count == pairByteCount else {
            throw .wrongLength(expected: Self.seedByteCount, given: bytes.count)
        }
        defer { ERR_clear_error() }
        guard
            let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, bytes, Self.seedByteCount)
        else { throw .malformed }
        self.key = KeyHandle(owning: key)
        var publicKey = [UInt8](repeating: 0, count: Ed25519PublicKey.byteCount)
        var length = publicKey.count
        guard EVP_PKEY_get_raw_public_key(key, &publicKey, &length) == 1 else {
            throw .operationFailed
        }
        guard bytes.count == Self.seedByteCount || publicKey[...] == bytes[Self.seedByteCount...]
        else { throw .malformed }
        self.publicKey = publicKey
    }

    /// The signature over `message` (RFC 8032 section 5.1.6).
    ///
    /// - Throws: ``KeyError/operationFailed`` if memory runs out.
    package func sign(_ message: [UInt8]) throws(KeyError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .operationFailed }
        defer { EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: Ed25519PublicKey.signatureByteCount)
        var length = signature.count
        guard EVP_DigestSignInit(context, nil, nil, nil, key.pointer) == 1,
            EVP_DigestSign(context, &signature, &length, message, message.count) == 1,
            length == signature.count
        else {
            ERR_clear_error()
            throw .operationFailed
        }
        return signature
    }
}

extension Ed25519PrivateKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "Ed25519PrivateKey" }
    /// No children, so that `dump` does not show the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
