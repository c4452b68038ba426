import Cryptography
import Payments
import Providers

/// Keys for the fixtures. Generating one fails only where OpenSSL does, and then no test could run.
enum FixtureKeys {
    static func rsa() -> RSAPrivateKey {
        do { return try RSAPrivateKey.generate() } catch { fatalError("no RSA key: \(error)") }
    }

    static func ed25519() -> (privateText: String, publicText: String) {
        do {
            return try StandardWebhooksKey.freshPair()
        } catch {
            fatalError("no Ed25519 key: \(error)")
        }
    }
}

extension Money {
    /// The currency of the lives.
    package static let sampleCurrency = Currency("EUR") ?? { fatalError("EUR is a currency") }()
}
