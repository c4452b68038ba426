/// MD5 (RFC 1321). It is broken as a signature and serves here only where a provider's protocol
/// prescribes it.
package enum MD5 {
    /// Length of a digest in bytes.
    package static let byteCount = 16

    /// The 16-byte digest of `bytes`.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        DigestAlgorithm.md5.hash(bytes)
    }
}
