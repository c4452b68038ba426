import Bytes
import Cryptography

/// What identifies a public key to people.
package struct KeyFingerprint: Sendable, Equatable {
    package let version: Int
    /// The first 16 hex digits of the SHA-256 of the key's DER (SPKI) form, the value that
    /// `openssl pkey -pubin -outform DER | sha256sum` begins with.
    package let digits: String

    /// - Parameter text: PEM or bare Base64 of DER.
    init?(version: Int, text: String) {
        var lines = text.split(whereSeparator: \.isNewline).map { $0.filter { !$0.isWhitespace } }
        lines.removeAll { $0.hasPrefix("-----") || $0.isEmpty }
        guard let der = Base64.decode(strict: Array(lines.joined().utf8)[...]) else { return nil }
        self.version = version
        digits = String(Hex.encode(SHA256.hash(der)).prefix(16))
    }
}
