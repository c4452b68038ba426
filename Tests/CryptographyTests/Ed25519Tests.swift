import Bytes
import Testing

@testable import Cryptography

@Suite struct Ed25519Tests {
    /// RFC 8032 section 7.1: seed, public key, message, signature.
    static let published = [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39"
                + "701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f36"
                + "13d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f7"
                + "60984dc6594a7c15e9716ed28dc027beceea1ec40a"
        ),
    ]

    @Test(arguments: published)
    func `the published signatures are made and verified`(
        _ seed: String, _ publicKey: String, _ message: String, _ signature: String
    ) throws {
        let seed = try #require(Hex.decode(seed))
        let message = try #require(Hex.decode(message))
        let signature = try #require(Hex.decode(signature))
        let key = try Ed25519PrivateKey(seed)
        #expect(Hex.encode(key.publicKey) == publicKey)
        #expect(try key.sign(message) == signature)
        #expect(try Ed25519PrivateKey(seed + key.publicKey).sign(message) == signature)
        let verifier = try Ed25519PublicKey(key.publicKey)
        #expect(verifier.verify(message: message, signature: signature))
        #expect(!verifier.verify(message: message + [0], signature: signature))
        #expect(!verifier.verify(message: message, signature: Array(signature.dropLast())))
        for place in [0, 31, 32, 63] {
            var changed = signature
            changed[place] ^= 1
            #expect(!verifier.verify(message: message, signature: changed))
        }
    }

    @Test func `keys of another form are refused`() throws {
        let seed = [UInt8](repeating: 7, count: 32)
        #expect(throws: KeyError.wrongLength(expected: 32, given: 31)) {
            try Ed25519PublicKey(Array(seed.dropLast()))
        }
        #expect(throws: KeyError.wrongLength(expected: 32, given: 33)) {
            try Ed25519PrivateKey(seed + [7])
        }
        // The second half is another key's.
        #expect(throws: KeyError.malformed) { try Ed25519PrivateKey(seed + seed) }
    }

    /// Under the neutral element as a key, `S = 0` and `R = 1` is a signature of everything.
    @Test(arguments: [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ])
    func `keys under which anybody can sign are refused`(_ text: String) throws {
        let bytes = try #require(Hex.decode(text))
        #expect(throws: KeyError.malformed) { try Ed25519PublicKey(bytes) }
    }

    @Test(arguments: [
        ("AQID", [1, 2, 3] as [UInt8]?), ("AQI=", [1, 2]), ("AQI", [1, 2]), ("AQJ", [1, 2]),
        ("AQ==", [1]), ("AQ", [1]), ("AQ=", [1]), ("AR", [1]), ("", []), ("A", nil), ("AQIDA", nil),
        ("AQ===", nil), ("A-", nil), ("AQ I", nil),
    ])
    func `a key's Base64 may lack its padding`(_ text: String, _ bytes: [UInt8]?) {
        #expect(Base64.decode(key: Array(text.utf8)[...]) == bytes)
    }
}
