import Cryptography
import Foundation
import TestSupport

@testable import ServerConfiguration

extension TemporaryFolder {
    /// A folder with the files that the configurations of these tests refer to.
    static func filled() throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        try folder.write("keys/antom.pem", KeyFixture.rsa.publicKeyPEM)
        try folder.write("keys/wechatpay.pem", KeyFixture.rsa.publicKeyPEM)
        try folder.write("keys/alipay.pem", KeyFixture.rsa.publicKeyPEM)
        try folder.write("keys/private.pem", KeyFixture.rsa.pem)
        try folder.write("keys/merchant.pem", KeyFixture.rsa.pem)
        try folder.write("keys/ec.pem", KeyFixture.ellipticCurve)
        try folder.write("keys/nonsense.pem", "not a key\n")
        try folder.write("secrets/citcon", "braintree\n")
        try folder.write("secrets/citcon-next", "braintree2\n")
        try folder.write("secrets/redaction", "0123456789abcdef\n")
        try folder.write("secrets/master", String(repeating: "0a", count: 32) + "\n")
        try folder.write("secrets/empty", "\n")
        try folder.write("secrets/shop", "whsec_\(Data(count: 32).base64EncodedString())\n")
        try folder.write("secrets/admin-token", "an-admin-token-of-128-bits\n")
        try folder.write("tls/cert.pem", CertificateFixture.certificate)
        try folder.write("tls/key.pem", CertificateFixture.key)
        try folder.write("tls/other.pem", CertificateFixture.otherCertificate)
        try folder.write("tls/other-key.pem", CertificateFixture.otherKey)
        try folder.write("tls/ca.pem", CertificateFixture.certificate)
        return folder
    }

    /// Loads a configuration from this text, or throws all its errors.
    func load(
        _ yaml: String, environment: [String: String] = [:]
    ) throws -> Result<Configuration, ConfigurationError> {
        let file = try write("ipnd.yaml", yaml)
        do throws(ConfigurationError) {
            return .success(try Configuration.load(file: file, environment: environment))
        } catch {
            return .failure(error)
        }
    }
}

/// Keys that are created once for all tests.
enum KeyFixture {
    static let rsa: RSAPrivateKey = {
        do { return try RSAPrivateKey.generate() } catch { fatalError("\(error)") }
    }()

    /// A valid public key of a kind that no provider uses.
    static let ellipticCurve = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/lz1ireAf8x2lwHW0a/Y48wI8Wzm
        X1W1H9lc4aWaIX/SzaI5NhRMMgznMl2QuKNpHKZK4kDffneZdm8SAxfGgQ==
        -----END PUBLIC KEY-----

        """
}
