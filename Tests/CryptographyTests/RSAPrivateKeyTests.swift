import Cryptography
import Foundation
import TestSupport
import Testing

@Suite struct RSAPrivateKeyTests {
    @Test func `a generated key comes back from its text`() throws {
        let key = try RSAPrivateKey.generate()
        #expect(key.pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(key.publicKeyPEM.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
        #expect(!key.publicKeyBase64DER.contains("\n"))
        let again = try RSAPrivateKey(pem: key.pem)
        #expect(again.publicKeyBase64DER == key.publicKeyBase64DER)
        // PKCS#1 v1.5 is deterministic.
        #expect(try again.signSHA256([1, 2, 3]) == key.signSHA256([1, 2, 3]))
        #expect(try key.signSHA256([1, 2, 3]).count == 256)
    }

    @Test func `the OpenSSL command makes the same signature`() throws {
        let key = try RSAPrivateKey.generate()
        let folder = TemporaryFolder()
        let file = try folder.write("key.pem", key.pem)
        let signature = try OpenSSLCommand.run(
            ["dgst", "-sha256", "-sign", file], input: "a message")
        #expect(try key.signSHA256(Array("a message".utf8)) == Array(signature))
    }

    @Test func `reads PKCS #1 and refuses the rest`() throws {
        let key = try RSAPrivateKey.generate()
        let pkcs1 = try OpenSSLCommand.text(["rsa", "-traditional"], input: key.pem)
        #expect(pkcs1.hasPrefix("-----BEGIN RSA PRIVATE KEY-----"))
        #expect(try RSAPrivateKey(pem: pkcs1).pem == key.pem)
        let encrypted = try OpenSSLCommand.text(
            ["pkcs8", "-topk8", "-passout", "pass:secret"], input: key.pem)
        #expect(throws: KeyError.encrypted) { try RSAPrivateKey(pem: encrypted) }
        #expect(throws: KeyError.publicKeyGiven) { try RSAPrivateKey(pem: key.publicKeyPEM) }
        #expect(throws: KeyError.empty) { try RSAPrivateKey(pem: " \n") }
        #expect(throws: KeyError.notBase64) { try RSAPrivateKey(pem: "secret") }
        #expect(throws: KeyError.malformed) {
            try RSAPrivateKey(
                pem: "-----BEGIN PRIVATE KEY-----\nZm9v\n-----END PRIVATE KEY-----\n")
        }
        let elliptic = try OpenSSLCommand.text(
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"])
        #expect(throws: KeyError.notRSA) { try RSAPrivateKey(pem: elliptic) }
        #expect(throws: KeyError.tooSmall) {
            try RSAPrivateKey(pem: OpenSSLCommand.text(["genrsa", "1024"]))
        }
    }

    @Test(arguments: [0, 512, 2047])
    func `a short key is not made`(bits: Int) {
        #expect(throws: KeyError.tooSmall) { try RSAPrivateKey.generate(bits: bits) }
    }

    @Test func `no description shows the key`() throws {
        let key = try RSAPrivateKey.generate()
        var dumped = ""
        dump(["key": key], to: &dumped)
        for text in ["\(key)", String(reflecting: key), "\([key])", dumped] {
            #expect(!text.contains("PRIVATE") && text.contains("RSAPrivateKey"))
        }
    }
}
