import Bytes
import Cryptography

/// A key as the Standard Webhooks specification writes it.
///
/// | text | what it is | signatures |
/// |---|---|---|
/// | `whsec_` and Base64, or the Base64 alone | a shared secret | `v1` |
/// | `whpk_` and Base64 | the sender's public key | `v1a` |
/// | `whsk_` and Base64 | the sender's private key | `v1a` |
///
/// The Base64 may lack its padding, as in the reference libraries (`standardwebhooks` on PyPI and
/// npm). White space around, such as a file's last newline, does not count.
package enum StandardWebhooksKey: Sendable {
    case shared([UInt8])
    case verifying(Ed25519PublicKey)
    case signing(Ed25519PrivateKey)

    static let sharedPrefix = "whsec_"
    package static let publicPrefix = "whpk_"
    package static let privatePrefix = "whsk_"

    /// - Throws: ``SettingsError`` at `setting` for what is none of the forms.
    package init(_ secret: [UInt8], setting: String) throws(SettingsError) {
        var text = secret[...]
        while let last = text.last, last <= 0x20 { text.removeLast() }
        while let first = text.first, first <= 0x20 { text.removeFirst() }
        if let key = text.dropping(Self.publicPrefix) {
            self = .verifying(
                try Self.make(key, setting) { bytes throws(KeyError) in
                    try Ed25519PublicKey(bytes)
                })
        } else if let key = text.dropping(Self.privatePrefix) {
            self = .signing(
                try Self.make(key, setting) { bytes throws(KeyError) in
                    try Ed25519PrivateKey(bytes)
                })
        } else {
            let digits = text.dropping(Self.sharedPrefix) ?? text
            guard let key = Base64.decode(key: digits), !key.isEmpty else {
                throw SettingsError(
                    key: setting, message: "the secret is not whsec_ and Base64, nor whpk_ and it")
            }
            self = .shared(key)
        }
    }

    /// The text of a public key.
    package static func publicText(_ key: [UInt8]) -> String { publicPrefix + Base64.encode(key) }

    /// A new pair of keys, for a sandbox.
    package static func freshPair() throws(KeyError) -> (privateText: String, publicText: String) {
        let seed = secureRandomBytes(Ed25519PrivateKey.seedByteCount)
        let key = try Ed25519PrivateKey(seed)
        return (
            privatePrefix + Base64.encode(seed + key.publicKey), publicText(key.publicKey)
        )
    }

    private static func make<Key>(
        _ digits: ArraySlice<UInt8>, _ setting: String, _ key: ([UInt8]) throws(KeyError) -> Key
    ) throws(SettingsError) -> Key {
        guard let bytes = Base64.decode(key: digits) else {
            throw SettingsError(key: setting, message: "the key behind its prefix is not Base64")
        }
        do throws(KeyError) { return try key(bytes) } catch {
            throw SettingsError(key: setting, message: "not an Ed25519 key (\(error.reason))")
        }
    }
}

extension ArraySlice<UInt8> {
    /// The bytes after `prefix`; nil where these bytes do not begin with it.
    fileprivate func dropping(_ prefix: String) -> ArraySlice<UInt8>? {
        starts(with: prefix.utf8) ? dropFirst(prefix.utf8.count) : nil
    }
}
