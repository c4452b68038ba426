import Cryptography

extension RSAPublicKey {
    /// Reads a public key, or the key of the first certificate of a PEM text.
    ///
    /// - Throws: `KeyError`.
    init(keyOrCertificate text: String) throws(KeyError) {
        if let certificate = Certificate.first(in: text) {
            self = try certificate.publicKey()
        } else {
            self = try RSAPublicKey(text: text)
        }
    }
}

extension Certificate {
    /// The first certificate of a PEM text; nil where it has none.
    static func first(in text: String) -> Certificate? {
        text.contains("BEGIN CERTIFICATE") ? all(inPEM: text).first : nil
    }
}
