import COpenSSL

/// A digest that was fetched from OpenSSL's provider once. Fetching by name at each use costs more
/// than the hashing.
struct DigestAlgorithm: Sendable {
    static let sha256 = DigestAlgorithm(name: "SHA256", byteCount: 32)
    static let md5 = DigestAlgorithm(name: "MD5", byteCount: 16)

    let byteCount: Int
    private let contexts: ContextPool

    private init(name: String, byteCount: Int) {
        self.byteCount = byteCount
        contexts = ContextPool(
            make: {
                guard let digest = EVP_MD_fetch(nil, name, nil) else { return nil }
                // The context keeps its own reference to the digest.
                defer { EVP_MD_free(digest) }
                guard let context = EVP_MD_CTX_new() else { return nil }
                guard EVP_DigestInit_ex2(context, digest, nil) == 1 else {
                    EVP_MD_CTX_free(context)
                    return nil
                }
                return context
            },
            destroy: { EVP_MD_CTX_free($0) })
    }

    /// Writes the digest of what `update` feeds to the context into `output`, which has `byteCount`
    /// bytes.
    ///
    /// A digest has no way to fail but missing memory (or an OpenSSL without the algorithm); a
    /// process that cannot hash could acknowledge nothing truthfully, so it stops.
    @inline(__always)
    func hash(into output: UnsafeMutableRawBufferPointer, _ update: (OpaquePointer) -> Void) {
        precondition(output.count == byteCount, "a digest needs exactly its own length")
        let done = contexts.withContext { context in
            // A null digest keeps the fetched one, and with it the memory of the last use.
            guard EVP_DigestInit_ex2(context, nil, nil) == 1 else { return false }
            update(context)
            return EVP_DigestFinal_ex(context, output.baseAddress, nil) == 1
        }
        guard done == true else { fatalError("OpenSSL cannot compute a digest") }
    }

    /// The digest of `parts`, one after the other, as if they were joined.
    func hash(parts: [ArraySlice<UInt8>]) -> [UInt8] {
        hash { context in
            for part in parts {
                part.withUnsafeBytes { Self.update(context, $0) }
            }
        }
    }

    /// The digest of `bytes`.
    func hash(_ bytes: [UInt8]) -> [UInt8] {
        hash { context in
            bytes.withUnsafeBytes { Self.update(context, $0) }
        }
    }

    static func update(_ context: OpaquePointer, _ bytes: UnsafeRawBufferPointer) {
        let done = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
        precondition(done == 1, "OpenSSL cannot compute a digest")
    }

    /// The digest of what `update` feeds to the context.
    @inline(__always)
    func hash(_ update: (OpaquePointer) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            hash(
                into: UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(output)[..<byteCount]), update)
            count = byteCount
        }
    }
}
