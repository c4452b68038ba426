import Bytes
import Cryptography

/// Verifies a header that must equal a secret of the endpoint.
struct TokenProof: Sendable {
    private let scheme: TokenScheme
    /// Digests of the tokens, all of one length: the time of a comparison says nothing of them.
    private let digests: Secrets<[UInt8]>

    /// - Throws: ``SettingsError`` for an empty token, which would let anyone pass.
    init(_ scheme: TokenScheme, secrets: [[UInt8]]) throws(SettingsError) {
        self.scheme = scheme
        var digests: [[UInt8]] = []
        for (index, secret) in secrets.enumerated() {
            let token = Array(secret.trimmingWhiteSpace)
            guard !token.isEmpty else {
                throw SettingsError(
                    key: "\(scheme.secrets)[\(index)]", message: "the token is empty")
            }
            digests.append(SHA256.hash(Array(scheme.prefix.utf8) + token))
        }
        self.digests = Secrets(values: digests)
    }

    /// - Returns: The token's place in the settings.
    func verify(_ delivery: SignedRequest) throws(Refusal) -> String {
        let digest = SHA256.hash(parts: [try delivery.single(scheme.header)])
        guard let key = digests.ordinal(where: { constantTimeEqual($0, digest) }) else {
            throw .unauthenticated(
                "token_mismatch", "the header \(scheme.header) is no token of this endpoint")
        }
        return key
    }
}
