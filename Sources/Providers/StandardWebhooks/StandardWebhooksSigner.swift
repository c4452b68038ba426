import Bytes
import Cryptography

/// Signs messages as the Standard Webhooks specification asks, with every key at once: during
/// a rotation, receivers with either secret can verify.
package struct StandardWebhooksSigner: Sendable {
    /// Bytes that a shared secret has (specification, "Signature scheme").
    package static let secretBytes = 24...64

    private enum Key: Sendable {
        case shared(HMACKey)
        case signing(Ed25519PrivateKey)
    }

    private let keys: [Key]
    /// Identifies a set of keys without showing them.
    private let digests: [[UInt8]]

    /// - Throws: ``SettingsError`` at `setting` with the place in the list, for a public key, which
    ///   cannot sign.
    package init(
        _ keys: [StandardWebhooksKey], setting: String = "secrets"
    ) throws(SettingsError) {
        var own: [Key] = []
        var digests: [[UInt8]] = []
        for (index, key) in keys.enumerated() {
            switch key {
            case .shared(let bytes):
                own.append(.shared(HMACKey(.sha256, bytes)))
                digests.append(SHA256.hash(bytes))
            case .signing(let key):
                own.append(.signing(key))
                digests.append(key.publicKey)
            case .verifying:
                throw SettingsError(
                    key: "\(setting)[\(index)]",
                    message: "this is the public key; signing needs the private key, whsk_")
            }
        }
        self.keys = own
        self.digests = digests
    }

    /// The value of `webhook-signature`: one signature for each key, in their order, separated by
    /// spaces. Nil where the cryptographic library refuses to sign.
    ///
    /// - Parameter time: Of this attempt, in seconds since 1970, as `webhook-timestamp` has it.
    package func signature(id: String, time: String, body: [UInt8]) -> String? {
        let content = StandardWebhooks.content(
            id: Array(id.utf8)[...], time: Array(time.utf8)[...], body: body)
        var signatures: [String] = []
        for key in keys {
            switch key {
            case .shared(let key):
                signatures.append("v1," + Base64.encode(key.code(parts: content)))
            case .signing(let key):
                // Ed25519 takes its message in one piece.
                guard let signature = try? key.sign(Array(content.joined())) else { return nil }
                signatures.append("v1a," + Base64.encode(signature))
            }
        }
        return signatures.joined(separator: " ")
    }
}

extension StandardWebhooksSigner: Equatable {
    package static func == (left: Self, right: Self) -> Bool { left.digests == right.digests }
}
