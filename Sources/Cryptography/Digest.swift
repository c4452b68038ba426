import COpenSSL

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// Length of a digest in bytes.
    package static let byteCount = 32

    /// The 32-byte digest of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        DigestAlgorithm.sha256.hash(bytes)
    }

    /// The 32-byte digest of the concatenation of `parts`.
    package static func hash(parts: [ArraySlice<UInt8>]) -> [UInt8] {
        DigestAlgorithm.sha256.hash(parts: parts)
    }

    /// The 32-byte digest of the pieces that `addParts` adds.
    package static func hash(_ addParts: (DigestInput) -> Void) -> [UInt8] {
        DigestAlgorithm.sha256.hash { addParts(DigestInput($0)) }
    }

    /// Writes the digest of `bytes` into `output`, which must have exactly 32 bytes. Does not
    /// allocate.
    package static func hash(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        DigestAlgorithm.sha256.hash(into: output) { DigestAlgorithm.update($0, bytes) }
    }

    /// Writes the digest of `first` followed by `second` into `output` (exactly 32 bytes), for a
    /// hash chain. `output` may be the memory of `first`.
    package static func hash(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) {
        DigestAlgorithm.sha256.hash(into: output) { context in
            DigestAlgorithm.update(context, first)
            DigestAlgorithm.update(context, second)
        }
    }
}

/// MD5 (RFC 1321). It is broken as a signature and used only where a provider's protocol requires
/// it.
package enum MD5 {
    /// Length of a digest in bytes.
    package static let byteCount = 16

    /// The 16-byte digest of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        DigestAlgorithm.md5.hash(bytes)
    }
}

/// Takes the parts of a message one after the other, so that they need not be concatenated first.
package struct DigestInput {
    private let context: OpaquePointer

    init(_ context: OpaquePointer) { self.context = context }

    /// Adds `bytes` as they are.
    package func add(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { DigestAlgorithm.update(context, $0) }
    }

    /// Adds `bytes` as they are.
    package func add(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { DigestAlgorithm.update(context, $0) }
    }

    /// Adds the text's UTF-8.
    package func add(_ text: String) {
        var text = text
        text.withUTF8 { DigestAlgorithm.update(context, UnsafeRawBufferPointer($0)) }
    }
}

/// A digest algorithm that is fetched from OpenSSL's provider once. Fetching by name for each use
/// costs more than hashing.
struct DigestAlgorithm: Sendable {
    static let sha256 = DigestAlgorithm(name: "SHA256", byteCount: 32)
    static let sha512 = DigestAlgorithm(name: "SHA512", byteCount: 64)
    static let sha1 = DigestAlgorithm(name: "SHA1", byteCount: 20)
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

    /// Writes the digest of what `update` adds to the context into `output`, which has `byteCount`
    /// bytes.
    ///
    /// A digest can fail only if memory runs out (or OpenSSL lacks the algorithm). A process that
    /// cannot hash must not acknowledge anything, so it stops.
    @inline(__always)
    func hash(into output: UnsafeMutableRawBufferPointer, _ update: (OpaquePointer) -> Void) {
        precondition(output.count == byteCount, "a digest needs exactly its own length")
        let done = contexts.withContext { context in
            // A null digest keeps the fetched one, and with it the allocated memory.
            guard EVP_DigestInit_ex2(context, nil, nil) == 1 else { return false }
            update(context)
            return EVP_DigestFinal_ex(context, output.baseAddress, nil) == 1
        }
        guard done == true else { fatalError("OpenSSL cannot compute a digest") }
    }

    /// The digest of the concatenation of `parts`.
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

    /// The digest of what `update` adds to the context.
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
