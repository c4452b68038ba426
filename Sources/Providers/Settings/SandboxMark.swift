import Bytes
import Cryptography

/// The marks of the secrets that `ipnd init` generates. By them `ipnd check` finds a copied secret
/// that is still accepted in a configuration for real notifications. A reader of the sandbox's
/// folder could sign with it.
package enum SandboxMark {
    /// The serial of a public key.
    package static let keySerial = "PUB_KEY_ID_SANDBOX"

    /// The prefix of a secret that may be any text.
    static let text = "ipnd-sandbox-"

    /// The first bytes of a binary secret: twelve, so that its Base64 ends on a digit boundary.
    private static let bytes = Array("ipnd sandbox".utf8)

    /// The prefix of the Standard Webhooks specification, which other providers use too.
    private static let webhookPrefix = "whsec_"

    /// Returns a marked secret in this form, with at least 16 random bytes.
    package static func secret(_ form: SettingRow.SecretForm) -> String {
        switch form {
        case .text: text + Hex.encode(secureRandomBytes(16))
        case .base64(let count):
            Base64.encode(bytes + secureRandomBytes(max(count - bytes.count, 16)))
        case .characters(let count):
            String((text + Hex.encode(secureRandomBytes(count))).prefix(count))
        case .hex(let count): Hex.encode(bytes + secureRandomBytes(count - bytes.count))
        case .keyPair:
            "\(text)\(Hex.encode(secureRandomBytes(2)))|\(Hex.encode(secureRandomBytes(16)))"
        case .standardWebhooks: webhookPrefix + Base64.encode(bytes + secureRandomBytes(20))
        }
    }

    /// Whether `ipnd init` generated it.
    package static func isMarked(_ secret: [UInt8]) -> Bool {
        [
            text, Hex.encode(bytes), Base64.encode(bytes), webhookPrefix + Base64.encode(bytes),
            webhookPrefix + text,
        ].contains { secret.starts(with: $0.utf8) }
    }
}
