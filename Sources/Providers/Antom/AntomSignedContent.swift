import Cryptography

/// The two texts that Antom may have signed for a delivery: with the bare path, and with path and
/// query.
///
/// Held as slices of what arrived: nothing is copied together before it is hashed.
struct AntomSignedContent {
    let delivery: Delivery
    let clientID: ArraySlice<UInt8>
    let time: ArraySlice<UInt8>

    /// Whether one of the two texts bears `signature` by `key`.
    func isSigned(by key: RSAPublicKey, _ signature: [UInt8]) -> Bool {
        if key.verifySHA256(signature, of: { hash(query: nil, into: $0) }) { return true }
        guard let query = delivery.query else { return false }
        return key.verifySHA256(signature, of: { hash(query: query, into: $0) })
    }

    /// `POST <path>[?<query>]` LF `<client-id>.<time>.<body>`
    private func hash(query: ArraySlice<UInt8>?, into digest: DigestInput) {
        digest.add(delivery.method)
        digest.add(" ")
        digest.add(delivery.path)
        if let query {
            digest.add("?")
            digest.add(query)
        }
        digest.add("\n")
        digest.add(clientID)
        digest.add(".")
        digest.add(time)
        digest.add(".")
        digest.add(delivery.body[...])
    }
}
