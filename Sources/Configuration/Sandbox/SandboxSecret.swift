import Bytes
import Cryptography

/// The shared secrets that `ipnd init` makes. Each begins with a mark, so that `ipnd check` finds
/// one that is still accepted beside real notifications, wherever it was copied to. Whoever has the
/// sandbox's folder could sign with it.
enum SandboxSecret {
    /// The prefix of a secret that may be any text.
    private static let words = "ipnd-sandbox-"
    /// The first bytes of one that is bytes: twelve, so that its Base64 ends with them.
    private static let bytes = Array("ipnd sandbox".utf8)

    /// The prefix of the Standard Webhooks specification, which Stripe has too.
    private static let webhookPrefix = "whsec_"

    /// Text with 16 random bytes.
    static func text() -> String { words + Hex.encode(secureRandomBytes(16)) }

    /// `count` bytes in hex, of which all but twelve are random.
    static func hex(_ count: Int) -> String {
        Hex.encode(bytes + secureRandomBytes(count - bytes.count))
    }

    /// A secret of the Standard Webhooks specification.
    static func standardWebhooks() -> String {
        webhookPrefix + Base64.encode(bytes + secureRandomBytes(20))
    }

    /// A secret as Stripe hands it out.
    static func stripe() -> String { webhookPrefix + text() }

    /// Whether `ipnd init` made it.
    static func isMarked(_ secret: [UInt8]) -> Bool {
        [
            words, Hex.encode(bytes), webhookPrefix + Base64.encode(bytes), webhookPrefix + words,
        ].contains { secret.starts(with: $0.utf8) }
    }
}
