import Testing

@testable import Cryptography

@Suite struct CertificateTests {
    /// RFC 1952's checksum, and zlib's of a body in UTF-8.
    @Test func `CRC-32 is that of zlib`() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xcbf4_3926)
        #expect(CRC32.checksum([]) == 0)
        #expect(CRC32.checksum([UInt8](repeating: 0xff, count: 32)) == 0xff6c_ab0b)
    }

    @Test func `a certificate is read with its names, key and validity`() throws {
        let key = try RSAPrivateKey.generate()
        let pem = try Certificate.selfSigned(key, name: "a.example")
        let found = Certificate.all(inPEM: "text before\n\(pem)between\n\(pem)after")
        #expect(found.count == 2)
        let certificate = try #require(found.first)
        #expect(certificate.hostNames == ["a.example"] && certificate.commonNames == ["a.example"])
        let message = Array("message".utf8)
        let signature = try key.signSHA256(message)
        #expect(
            try certificate.publicKey().verifySHA256(message: [message[...]], signature: signature))
        let trust = try CertificateTrust([certificate], includesSystem: false)
        guard case .trusted(let validity) = trust.judge(certificate, at: 1_790_000_000) else {
            Issue.record("not trusted")
            return
        }
        #expect(validity == 1_577_836_800...2_524_607_999)
        for seconds in [validity.lowerBound - 1, validity.upperBound + 1] {
            guard case .expired = trust.judge(certificate, at: seconds) else {
                Issue.record("\(seconds)")
                return
            }
        }
        let other = try #require(
            Certificate.all(inPEM: Certificate.selfSigned(.generate(), name: "a.example")).first)
        guard case .untrusted = trust.judge(other, at: 1_790_000_000) else {
            Issue.record("another one of the same name is trusted")
            return
        }
    }

    @Test(arguments: [
        "", "x", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "<html>",
    ])
    func `what is no certificate is none`(_ text: String) {
        #expect(Certificate.all(inPEM: text).isEmpty)
    }
}
