import Bytes

/// The value of a `webhook-signature` header: one or more signatures, separated by spaces, each a
/// version, a comma and Base64. Versions that are not known are passed over.
struct StandardWebhooksSignatures {
    /// Most signatures in a header; during a rotation there are two.
    static let countMax = 16
    /// Most `v1a` signatures. Each costs a pass over the message and 50 µs for every public key of
    /// the endpoint, before anything is known of the sender.
    static let asymmetricCountMax = 2

    /// HMAC-SHA256, version `v1`.
    let symmetric: [[UInt8]]
    /// Ed25519, version `v1a`.
    let asymmetric: [[UInt8]]

    /// - Parameters:
    ///   - takesSymmetric: Whether the endpoint has a shared secret.
    ///   - takesAsymmetric: Whether the endpoint has a public key.
    /// - Throws: ``Refusal``: `signature_too_many`, `signature_version_unknown`,
    ///   `signature_encoding`.
    init(
        _ header: ArraySlice<UInt8>, takesSymmetric: Bool, takesAsymmetric: Bool
    ) throws(Refusal) {
        let parts = header.split(separator: UInt8(ascii: " "))
        guard parts.count <= Self.countMax else {
            throw .unauthenticated("signature_too_many", "more than \(Self.countMax) signatures")
        }
        let first = takesSymmetric ? parts.filter { $0.starts(with: "v1,".utf8) } : []
        let second = takesAsymmetric ? parts.filter { $0.starts(with: "v1a,".utf8) } : []
        guard second.count <= Self.asymmetricCountMax else {
            throw .unauthenticated(
                "signature_too_many", "more than \(Self.asymmetricCountMax) v1a signatures")
        }
        guard !first.isEmpty || !second.isEmpty else {
            let versions = [takesSymmetric ? "v1" : nil, takesAsymmetric ? "v1a" : nil]
            throw .unauthenticated(
                "signature_version_unknown",
                "no signature of version \(versions.compactMap(\.self).joined(separator: " or "))")
        }
        symmetric = first.compactMap { Base64.decode(strict: $0.dropFirst(3)) }
        asymmetric = second.compactMap { Base64.decode(strict: $0.dropFirst(4)) }
        guard !symmetric.isEmpty || !asymmetric.isEmpty else {
            throw .unauthenticated("signature_encoding", "no signature is Base64")
        }
    }
}
