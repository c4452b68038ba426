import COpenSSL

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D) with a 12-byte IV and a 16-byte tag. Any number
/// of threads may use one key at once.
package struct AES256GCM: Sendable {
    /// Length of a key in bytes.
    package static let keyBytes = 32
    /// Length of an initialization vector in bytes.
    package static let ivBytes = 12
    /// Length of a tag in bytes. A shorter tag would be easier to guess and is refused.
    package static let tagBytes = 16

    private let contexts: ContextPool

    /// - Throws: `KeyError.wrongLength` unless `key` has 32 bytes.
    package init(key: [UInt8]) throws(KeyError) {
        guard key.count == Self.keyBytes else {
            throw .wrongLength(expected: Self.keyBytes, given: key.count)
        }
        let secret = SecretBytes(key)
        contexts = ContextPool(
            make: { Self.makeContext(secret) },
            // Freeing wipes the key schedule (`OPENSSL_clear_free` inside the provider).
            destroy: { EVP_CIPHER_CTX_free($0) })
    }

    /// Returns the plaintext, or nil if `tag` does not authenticate `iv`, `ciphertext` and the
    /// additional data under this key, or if a length is wrong.
    package func open(
        ciphertext: [UInt8], iv: [UInt8], tag: [UInt8], additional: [UInt8] = []
    ) -> [UInt8]? {
        guard iv.count == Self.ivBytes, tag.count == Self.tagBytes,
            let length = Int32(exactly: ciphertext.count)
        else { return nil }
        var tag = tag
        var plaintext = [UInt8](repeating: 0, count: ciphertext.count)
        let opened = contexts.withContext { context in
            var written: Int32 = 0
            var rest: UInt8 = 0
            return EVP_CipherInit_ex2(context, nil, nil, iv, 0, nil) == 1
                && EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagBytes), &tag) == 1
                && Self.add(additional, to: context)
                && EVP_CipherUpdate(context, &plaintext, &written, ciphertext, length) == 1
                // Compares the tag in constant time.
                && EVP_CipherFinal_ex(context, &rest, &written) == 1
        }
        guard opened == true else {
            // The decryption of an unauthentic text must not be used.
            plaintext.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
            ERR_clear_error()
            return nil
        }
        return plaintext
    }

    /// Encrypts `plaintext`. An IV must never be used twice with one key.
    ///
    /// - Throws: `KeyError.wrongLength` unless `iv` has 12 bytes; `.operationFailed` if memory runs
    ///   out.
    package func seal(
        plaintext: [UInt8], iv: [UInt8], additional: [UInt8] = []
    ) throws(KeyError) -> (ciphertext: [UInt8], tag: [UInt8]) {
        guard iv.count == Self.ivBytes else {
            throw .wrongLength(expected: Self.ivBytes, given: iv.count)
        }
        guard let length = Int32(exactly: plaintext.count) else { throw .operationFailed }
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count)
        var tag = [UInt8](repeating: 0, count: Self.tagBytes)
        let sealed = contexts.withContext { context in
            var written: Int32 = 0
            var rest: UInt8 = 0
            return EVP_CipherInit_ex2(context, nil, nil, iv, 1, nil) == 1
                && Self.add(additional, to: context)
                && EVP_CipherUpdate(context, &ciphertext, &written, plaintext, length) == 1
                && EVP_CipherFinal_ex(context, &rest, &written) == 1
                && EVP_CIPHER_CTX_ctrl(
                    context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagBytes), &tag) == 1
        }
        guard sealed == true else {
            ERR_clear_error()
            throw .operationFailed
        }
        return (ciphertext, tag)
    }

    /// Adds data that the tag authenticates and the ciphertext does not hold.
    private static func add(_ additional: [UInt8], to context: OpaquePointer) -> Bool {
        guard !additional.isEmpty else { return true }
        var written: Int32 = 0
        guard let length = Int32(exactly: additional.count) else { return false }
        return EVP_CipherUpdate(context, nil, &written, additional, length) == 1
    }

    private static func makeContext(_ key: SecretBytes) -> OpaquePointer? {
        guard let cipher = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else { return nil }
        // The context keeps its own reference to the cipher.
        defer { EVP_CIPHER_free(cipher) }
        guard let context = EVP_CIPHER_CTX_new() else { return nil }
        // 12 bytes is GCM's default IV length.
        guard key.withBytes({ EVP_CipherInit_ex2(context, cipher, $0, nil, 1, nil) }) == 1 else {
            EVP_CIPHER_CTX_free(context)
            return nil
        }
        return context
    }
}

extension AES256GCM: CustomStringConvertible, CustomReflectable {
    package var description: String { "AES256GCM" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
