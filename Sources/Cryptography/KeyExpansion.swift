import COpenSSL

/// Two keys from one, for a tree of keys: AES-256 under the parent's key of the numbers 0 to 3,
/// each a block of 16 bytes. The first two blocks are the first key, the others the second.
///
/// Of a key, neither its parent nor its sibling can be computed, as long as AES-256 is a
/// pseudorandom function.
package enum KeyExpansion {
    /// Bytes of a key.
    package static let keyBytes = 32

    // Setting up a context costs more than four blocks. The key schedule in an idle context is
    // overwritten by the next one.
    private static let contexts = ContextPool(
        make: {
            guard let cipher = EVP_CIPHER_fetch(nil, "AES-256-ECB", nil) else { return nil }
            // The context keeps its own reference to the cipher.
            defer { EVP_CIPHER_free(cipher) }
            guard let context = EVP_CIPHER_CTX_new() else { return nil }
            guard EVP_EncryptInit_ex2(context, cipher, nil, nil, nil) == 1,
                EVP_CIPHER_CTX_set_padding(context, 0) == 1
            else {
                EVP_CIPHER_CTX_free(context)
                return nil
            }
            return context
        }, destroy: { EVP_CIPHER_CTX_free($0) })

    private static let blocks: [UInt8] = (0..<4).flatMap { number in
        [UInt8](repeating: 0, count: 15) + [UInt8(number)]
    }

    /// Returns both keys, one after the other.
    ///
    /// - Parameter parent: 32 bytes.
    package static func keys(from parent: ArraySlice<UInt8>) -> [UInt8] {
        precondition(parent.count == keyBytes, "a key of another length")
        return [UInt8](unsafeUninitializedCapacity: 2 * keyBytes) { output, count in
            let isDone = contexts.withContext { context in
                var written: Int32 = 0
                return parent.withUnsafeBufferPointer {
                    EVP_EncryptInit_ex2(context, nil, $0.baseAddress, nil, nil) == 1
                }
                    && EVP_EncryptUpdate(
                        context, output.baseAddress, &written, blocks, Int32(blocks.count)) == 1
                    && written == 2 * Int32(keyBytes)
            }
            // As with a digest, this fails only if memory runs out.
            guard isDone == true else { fatalError("OpenSSL cannot encrypt") }
            count = 2 * keyBytes
        }
    }
}
