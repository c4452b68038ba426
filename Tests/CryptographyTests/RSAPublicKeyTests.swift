import Bytes
import Cryptography
import Foundation
import Testing

@Suite struct RSAPublicKeyTests {
    static let message = [Array("one ".utf8)[...], Array("message".utf8)[...]]

    @Test func `verifies a genuine signature of Antom`() throws {
        let key = try RSAPublicKey(text: AntomVector.publicKey)
        let signature = try #require(Base64.decode(strict: Array(AntomVector.signature.utf8)[...]))
        #expect(key.modulusBytes == 256)
        #expect(key.verifySHA256(message: AntomVector.message(), signature: signature))
    }

    /// Each differs from the genuine one in a detail that a careless receiver would change.
    @Test(arguments: [
        AntomVector.message(time: "2019-11-12T09:37:00Z\n"),
        AntomVector.message(body: AntomVector.body + " "),
        AntomVector.message(body: String(AntomVector.body.dropLast())),
        AntomVector.message(body: AntomVector.body.replacing(#"","value""#, with: #"", "value""#)),
        AntomVector.message(path: "/api/back/"),
        AntomVector.message(path: "/api/back?allPayTn=5a9ddf96cc89dd30134549d68abbbd4a"),
        AntomVector.message(path: "https://local.allpay-test.com/api/back"),
        AntomVector.message(clientID: "SANDBOX_X"),
        [],
    ])
    func `refuses a message that Antom did not sign`(message: [ArraySlice<UInt8>]) throws {
        let key = try RSAPublicKey(text: AntomVector.publicKey)
        let signature = try #require(Base64.decode(strict: Array(AntomVector.signature.utf8)[...]))
        #expect(!key.verifySHA256(message: message, signature: signature))
    }

    @Test func `every flipped bit is refused and the genuine signature still verifies`() throws {
        let key = try RSAPublicKey(text: AntomVector.publicKey)
        let signature = try #require(Base64.decode(strict: Array(AntomVector.signature.utf8)[...]))
        for bit in 0..<(signature.count * 8) {
            var other = signature
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(!key.verifySHA256(message: AntomVector.message(), signature: other))
        }
        #expect(key.verifySHA256(message: AntomVector.message(), signature: signature))
    }

    @Test func `a signature of another length is refused`() throws {
        let key = try RSAPublicKey(text: AntomVector.publicKey)
        let signature = try #require(Base64.decode(strict: Array(AntomVector.signature.utf8)[...]))
        for other in [[], [0] + signature, signature + [0], Array(signature.dropLast())] {
            #expect(!key.verifySHA256(message: AntomVector.message(), signature: other))
        }
        // Numbers outside the range of the modulus.
        for byte: UInt8 in [0, 0xff] {
            let other = [UInt8](repeating: byte, count: 256)
            #expect(!key.verifySHA256(message: AntomVector.message(), signature: other))
        }
    }

    @Test func `another key does not verify`() throws {
        let signer = try RSAPrivateKey.generate()
        let signature = try signer.signSHA256(Array("one message".utf8))
        let own = try RSAPublicKey(text: signer.publicKeyPEM)
        #expect(own.verifySHA256(message: Self.message, signature: signature))
        let other = try RSAPublicKey(text: AntomVector.publicKey)
        #expect(!other.verifySHA256(message: Self.message, signature: signature))
    }

    @Test func `one key verifies on many threads at once`() async throws {
        let key = try RSAPublicKey(text: AntomVector.publicKey)
        let signature = try #require(Base64.decode(strict: Array(AntomVector.signature.utf8)[...]))
        var wrong = signature
        wrong[100] ^= 4
        let isRight = await withTaskGroup(of: Bool.self) { [wrong] group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<500).allSatisfy { round in
                        let isGenuine = round % 3 != 0
                        return key.verifySHA256(
                            message: AntomVector.message(), signature: isGenuine ? signature : wrong
                        )
                            == isGenuine
                    }
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(isRight)
    }

    @Test func `every text form of one key is read`() throws {
        let signer = try RSAPrivateKey.generate()
        let signature = try signer.signSHA256(Array("one message".utf8))
        let spki = signer.publicKeyPEM
        let pkcs1 = try OpenSSLCommand.text(
            ["rsa", "-pubin", "-RSAPublicKey_out"], input: spki)
        #expect(pkcs1.hasPrefix("-----BEGIN RSA PUBLIC KEY-----"))
        let bare = signer.publicKeyBase64DER
        let pkcs1Bare = pkcs1.split(separator: "\n").dropFirst().dropLast().joined()
        let wrapped = spki.split(separator: "\n").dropFirst().dropLast().joined(separator: "\r\n")
        let texts = [
            spki, pkcs1, bare, pkcs1Bare, wrapped, bare + "\n", "  \(bare)\r\n", "\u{feff}\(bare)",
            "\u{feff}\(spki)", "# the sandbox key\n\(spki)",
            spki.replacing("\n", with: "\r\n"), spki.replacing("\n", with: " "),
        ]
        for text in texts {
            let key = try RSAPublicKey(text: text)
            #expect(key.verifySHA256(message: Self.message, signature: signature))
        }
    }

    @Test func `a private key is refused however it is wrapped`() throws {
        let pkcs8 = try RSAPrivateKey.generate().pem
        let pkcs1 = try OpenSSLCommand.text(["rsa", "-traditional"], input: pkcs8)
        let elliptic = try OpenSSLCommand.text(
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"])
        let encrypted = try OpenSSLCommand.text(
            ["pkcs8", "-topk8", "-passout", "pass:secret"], input: pkcs8)
        for pem in [pkcs8, pkcs1, elliptic, encrypted] {
            #expect(throws: KeyError.privateKeyGiven) { try RSAPublicKey(text: pem) }
            #expect(throws: KeyError.privateKeyGiven) {
                try RSAPublicKey(text: AntomVector.publicKey + "\n" + pem)
            }
        }
        for pem in [pkcs8, pkcs1, elliptic] {
            let bare = pem.split(separator: "\n").filter { !$0.contains("-----") }.joined()
            #expect(throws: KeyError.privateKeyGiven) { try RSAPublicKey(text: bare) }
        }
    }

    @Test func `other algorithms are refused`() throws {
        for options in [
            ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"], ["ED25519"],
            ["RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"],
        ] {
            let key = try OpenSSLCommand.text(["genpkey", "-algorithm"] + options)
            let text = try OpenSSLCommand.text(["pkey", "-pubout"], input: key)
            #expect(throws: KeyError.notRSA) { try RSAPublicKey(text: text) }
        }
    }

    @Test func `a short modulus is refused`() throws {
        let key = try OpenSSLCommand.text(["genrsa", "1024"])
        let text = try OpenSSLCommand.text(["rsa", "-pubout"], input: key)
        #expect(throws: KeyError.tooSmall) { try RSAPublicKey(text: text) }
    }

    /// A synthetic RSAPublicKey (RFC 8017 appendix A.1.1) with a modulus of `modulusBytes` bytes.
    private func pkcs1(modulusBytes: Int, exponent: [UInt8]) -> String {
        func field(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            let count = content.count
            let length: [UInt8] =
                count < 128 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xff)]
            return [tag] + length + content
        }
        let modulus = [0] + [UInt8](repeating: 0xfb, count: modulusBytes)
        return Base64.encode(field(0x30, field(2, modulus) + field(2, exponent)))
    }

    @Test func `an unsound exponent is refused`() throws {
        for exponent: [UInt8] in [[1], [2], [1, 0, 0], [UInt8](repeating: 1, count: 9)] {
            #expect(throws: KeyError.badExponent) {
                try RSAPublicKey(text: pkcs1(modulusBytes: 256, exponent: exponent))
            }
        }
        _ = try RSAPublicKey(text: pkcs1(modulusBytes: 256, exponent: [3]))
    }

    @Test func `an overlong modulus is refused`() {
        #expect(throws: KeyError.tooLarge) {
            try RSAPublicKey(text: pkcs1(modulusBytes: 1025, exponent: [1, 0, 1]))
        }
    }

    @Test(arguments: [
        ("", KeyError.empty), (" \r\n", .empty), ("secret!", .notBase64), ("Zm9v", .malformed),
        ("-----BEGIN PUBLIC KEY-----", .notBase64), ("-----BEGIN PUBLIC KEY", .notBase64),
        ("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----", .empty),
        ("-----BEGIN PUBLIC KEY-----\nZm9v\n-----END PUBLIC KEY-----", .malformed),
        ("-----BEGIN PUBLIC KEY-----\nZm9v\n-----END RSA PUBLIC KEY-----", .notBase64),
        ("-----BEGIN CERTIFICATE-----\nZm9v\n-----END CERTIFICATE-----", .certificateGiven),
        ("-----BEGIN DH PARAMETERS-----\nZm9v\n-----END DH PARAMETERS-----", .malformed),
        ("ssh-rsa AAAAB3NzaC1yc2E= me@example.com", .notBase64),
    ])
    func `anything else is refused in its own words`(text: String, error: KeyError) {
        #expect(throws: error) { try RSAPublicKey(text: text) }
    }

    @Test func `bytes behind the key are refused`() throws {
        let der = try #require(Base64.decode(strict: Array(AntomVector.publicKey.utf8)[...]))
        #expect(throws: KeyError.malformed) { try RSAPublicKey(text: Base64.encode(der + [0])) }
        #expect(throws: KeyError.malformed) {
            try RSAPublicKey(text: Base64.encode(Array(der.dropLast())))
        }
    }
}
