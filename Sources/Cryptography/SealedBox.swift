import COpenSSL

/// AES-256 in Galois/Counter Mode (NIST SP 800-38D) for keys that seal one message or a few, such
/// as a record's own: a box is a random IV of 12 bytes, the ciphertext, and the tag of 16 bytes.
///
/// With random IVs, one key must not seal more than 2³² messages (SP 800-38D, section 8.3).
package enum SealedBox {
    /// Bytes by which a box is longer than its plaintext.
    package static let overheadBytes = AES256GCM.ivBytes + AES256GCM.tagBytes

    /// Setting up a context costs more than a short message. The key schedule in an idle context is
    /// overwritten by the next one.
    private static let contexts = ContextPool(
        make: {
            guard let cipher = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else { return nil }
            // The context keeps its own reference to the cipher.
            defer { EVP_CIPHER_free(cipher) }
            guard let context = EVP_CIPHER_CTX_new() else { return nil }
            guard EVP_CipherInit_ex2(context, cipher, nil, nil, 1, nil) == 1 else {
                EVP_CIPHER_CTX_free(context)
                return nil
            }
            return context
        }, destroy: { EVP_CIPHER_CTX_free($0) })

    /// Encrypts `plaintext`; the box also authenticates `additional`.
    ///
    /// - Throws: `KeyError.wrongLength` unless `key` has 32 bytes; `.operationFailed` if a length
    ///   is beyond 2 GiB or memory runs out.
    package static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: [UInt8], additional: UnsafeRawBufferPointer
    ) throws(KeyError) -> [UInt8] {
        try seal(
            plaintext, key: key, additional: additional,
            iv: secureRandomBytes(AES256GCM.ivBytes)[...])
    }

    /// The same with these random bytes, which must be used once.
    fileprivate static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: [UInt8], additional: UnsafeRawBufferPointer,
        iv: ArraySlice<UInt8>
    ) throws(KeyError) -> [UInt8] {
        try check(key)
        guard let length = Int32(exactly: plaintext.count),
            let additionalLength = Int32(exactly: additional.count)
        else { throw .operationFailed }
        var isSealed = false
        let box = [UInt8](
            unsafeUninitializedCapacity: plaintext.count + overheadBytes
        ) { box, count in
            let body = box.baseAddress! + AES256GCM.ivBytes
            let result = contexts.withContext { context in
                var written: Int32 = 0
                return iv.withUnsafeBufferPointer {
                    EVP_CipherInit_ex2(context, nil, key, $0.baseAddress, 1, nil) == 1
                }
                    && add(additional, additionalLength, to: context)
                    && update(context, body, plaintext, length)
                    && EVP_CipherFinal_ex(context, body + plaintext.count, &written) == 1
                    && EVP_CIPHER_CTX_ctrl(
                        context, EVP_CTRL_AEAD_GET_TAG, Int32(AES256GCM.tagBytes),
                        body + plaintext.count) == 1
            }
            isSealed = result == true
            _ = box.update(fromContentsOf: iv)
            count = isSealed ? plaintext.count + overheadBytes : 0
        }
        guard isSealed else {
            ERR_clear_error()
            throw .operationFailed
        }
        return box
    }

    /// Returns the plaintext of a box; nil if it was not sealed with this key and `additional`.
    package static func open(
        _ box: [UInt8], key: [UInt8], additional: UnsafeRawBufferPointer
    ) -> [UInt8]? {
        let length = box.count - overheadBytes
        guard key.count == AES256GCM.keyBytes, length >= 0, let count = Int32(exactly: length),
            let additionalLength = Int32(exactly: additional.count)
        else { return nil }
        var tag = Array(box.suffix(AES256GCM.tagBytes))
        var plaintext = [UInt8](repeating: 0, count: length)
        let isOpened = box.withUnsafeBytes { box in
            let body = UnsafeRawBufferPointer(
                rebasing: box[AES256GCM.ivBytes..<AES256GCM.ivBytes + length])
            let iv = box.baseAddress!.assumingMemoryBound(to: UInt8.self)
            return contexts.withContext { context in
                var written: Int32 = 0
                var rest: UInt8 = 0
                return EVP_CipherInit_ex2(context, nil, key, iv, 0, nil) == 1
                    && EVP_CIPHER_CTX_ctrl(
                        context, EVP_CTRL_AEAD_SET_TAG, Int32(AES256GCM.tagBytes), &tag) == 1
                    && add(additional, additionalLength, to: context)
                    && plaintext.withUnsafeMutableBufferPointer {
                        update(context, $0.baseAddress, body, count)
                    }
                    // Compares the tag in constant time.
                    && EVP_CipherFinal_ex(context, &rest, &written) == 1
            }
        }
        guard isOpened == true else {
            // The decryption of an unauthentic text must not be used.
            plaintext.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) }
            ERR_clear_error()
            return nil
        }
        return plaintext
    }

    private static func check(_ key: [UInt8]) throws(KeyError) {
        guard key.count == AES256GCM.keyBytes else {
            throw .wrongLength(expected: AES256GCM.keyBytes, given: key.count)
        }
    }

    private static func add(
        _ additional: UnsafeRawBufferPointer, _ length: Int32, to context: OpaquePointer
    ) -> Bool {
        guard length > 0 else { return true }
        var written: Int32 = 0
        return EVP_CipherUpdate(
            context, nil, &written, additional.baseAddress?.assumingMemoryBound(to: UInt8.self),
            length) == 1
    }

    private static func update(
        _ context: OpaquePointer, _ output: UnsafeMutablePointer<UInt8>?,
        _ input: UnsafeRawBufferPointer, _ length: Int32
    ) -> Bool {
        guard length > 0 else { return true }
        var written: Int32 = 0
        return EVP_CipherUpdate(
            context, output, &written, input.baseAddress?.assumingMemoryBound(to: UInt8.self),
            length) == 1
    }
}

extension SealedBox {
    /// As `seal(_:key:additional:)`, from arrays.
    package static func seal(
        _ plaintext: [UInt8], key: [UInt8], additional: [UInt8] = []
    ) throws(KeyError) -> [UInt8] {
        let result: Result<[UInt8], KeyError> = plaintext.withUnsafeBytes { plaintext in
            additional.withUnsafeBytes { additional in
                do throws(KeyError) {
                    return .success(try seal(plaintext, key: key, additional: additional))
                } catch {
                    return .failure(error)
                }
            }
        }
        return try result.get()
    }

    /// As `open(_:key:additional:)`, from arrays.
    package static func open(
        _ box: [UInt8], key: [UInt8], additional: [UInt8] = []
    ) -> [UInt8]? {
        additional.withUnsafeBytes { open(box, key: key, additional: $0) }
    }
}

/// Seals many messages. It gets random bytes in large pieces, because OpenSSL takes as long for
/// twelve of them as for many.
///
/// A class, so that copies of what has one share it: random bytes are never used twice. Belongs to
/// one thread.
package final class BoxSealer {
    private var random: [UInt8] = []
    private var place = 0

    /// Messages for which random bytes are kept.
    private static let messages = 256

    package init() {}

    /// As `SealedBox.seal(_:key:additional:)`.
    package func seal(
        _ plaintext: UnsafeRawBufferPointer, key: [UInt8], additional: UnsafeRawBufferPointer
    ) throws(KeyError) -> [UInt8] {
        if place == random.count {
            random = secureRandomBytes(Self.messages * AES256GCM.ivBytes)
            place = 0
        }
        let iv = random[place..<place + AES256GCM.ivBytes]
        place += AES256GCM.ivBytes
        return try SealedBox.seal(plaintext, key: key, additional: additional, iv: iv)
    }
}
