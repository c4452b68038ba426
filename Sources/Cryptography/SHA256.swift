/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// Length of a digest in bytes.
    package static let byteCount = 32

    /// The 32-byte digest of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        DigestAlgorithm.sha256.hash(bytes)
    }

    /// The 32-byte digest of `parts`, one after the other, as if they were joined.
    package static func hash(parts: [ArraySlice<UInt8>]) -> [UInt8] {
        DigestAlgorithm.sha256.hash(parts: parts)
    }

    /// The 32-byte digest of what `addParts` gives piece by piece.
    package static func hash(_ addParts: (DigestInput) -> Void) -> [UInt8] {
        DigestAlgorithm.sha256.hash { addParts(DigestInput($0)) }
    }

    /// Writes the digest of `bytes` into `output`, which must have exactly 32 bytes. Allocates
    /// nothing.
    package static func hash(
        _ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        DigestAlgorithm.sha256.hash(into: output) { DigestAlgorithm.update($0, bytes) }
    }

    /// Writes the digest of `first` followed by `second` into `output` (exactly 32 bytes), for a
    /// chain in which each link hashes the one before it. `output` may be the memory of `first`.
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
