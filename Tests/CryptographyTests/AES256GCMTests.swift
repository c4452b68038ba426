import Bytes
import Cryptography
import Testing

/// A published key, IV, text and tag, in hexadecimal.
struct GCMVector: Sendable {
    let key: String
    let iv: String
    let plaintext: String
    let ciphertext: String
    let tag: String
}

@Suite struct AES256GCMTests {
    static let zeros = String(repeating: "0", count: 64)
    static let vectors = [
        // McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B, cases 13, 14 and
        // 15.
        GCMVector(
            key: zeros, iv: "000000000000000000000000", plaintext: "", ciphertext: "",
            tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        GCMVector(
            key: zeros, iv: "000000000000000000000000",
            plaintext: "00000000000000000000000000000000",
            ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        GCMVector(
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            iv: "cafebabefacedbaddecaf888",
            plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
            ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
            tag: "b094dac5d93471bdec1a502270e3cc6c"),
        // The example of the Open Payment Platform's page on webhook decryption.
        GCMVector(
            key: "000102030405060708090a0b0c0d0e0f000102030405060708090a0b0c0d0e0f",
            iv: "000000000000000000000000",
            plaintext: Hex.encode(Array(#"{"type":"PAYMENT"}"#.utf8)),
            ciphertext: "0a3471c72d9be49a8520f79c66bbd9a12ff9",
            tag: "ce573fb7a41ab78e743180dc83ff09bd"),
    ]

    @Test(arguments: vectors)
    func `seals and opens the published examples`(vector: GCMVector) throws {
        let cipher = try AES256GCM(key: #require(Hex.decode(vector.key)))
        let iv = try #require(Hex.decode(vector.iv))
        let plaintext = try #require(Hex.decode(vector.plaintext))
        let sealed = try cipher.seal(plaintext: plaintext, iv: iv)
        #expect(Hex.encode(sealed.ciphertext) == vector.ciphertext)
        #expect(Hex.encode(sealed.tag) == vector.tag)
        #expect(cipher.open(ciphertext: sealed.ciphertext, iv: iv, tag: sealed.tag) == plaintext)
    }

    /// Case 16 of the same appendix.
    @Test func `additional data is authenticated`() throws {
        let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
        let cipher = try AES256GCM(key: #require(Hex.decode(key)))
        let iv = try #require(Hex.decode("cafebabefacedbaddecaf888"))
        let plaintext = try #require(
            Hex.decode(
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"))
        let additional = try #require(
            Hex.decode("feedfacedeadbeeffeedfacedeadbeefabaddad2"))
        let sealed = try cipher.seal(plaintext: plaintext, iv: iv, additional: additional)
        #expect(Hex.encode(sealed.tag) == "76fc6ece0f4e1768cddf8853bb2d551b")
        func opened(_ additional: [UInt8]) -> [UInt8]? {
            cipher.open(
                ciphertext: sealed.ciphertext, iv: iv, tag: sealed.tag, additional: additional)
        }
        #expect(opened(additional) == plaintext)
        #expect(opened([]) == nil && opened(additional + [0]) == nil)
    }

    @Test func `every flipped bit is refused and the next good text opens`() throws {
        let cipher = try AES256GCM(key: secureRandomBytes(32))
        let iv = secureRandomBytes(12)
        let plaintext = Array("a payment".utf8)
        let sealed = try cipher.seal(plaintext: plaintext, iv: iv)
        let whole = sealed.ciphertext + iv + sealed.tag
        for bit in 0..<(whole.count * 8) {
            var other = whole
            other[bit / 8] ^= 1 << (bit % 8)
            let opened = cipher.open(
                ciphertext: Array(other[..<9]), iv: Array(other[9..<21]), tag: Array(other[21...]))
            #expect(opened == nil)
        }
        #expect(cipher.open(ciphertext: sealed.ciphertext, iv: iv, tag: sealed.tag) == plaintext)
    }

    @Test func `another key does not open`() throws {
        let iv = secureRandomBytes(12)
        let sealed = try AES256GCM(key: secureRandomBytes(32)).seal(plaintext: [1], iv: iv)
        let other = try AES256GCM(key: secureRandomBytes(32))
        #expect(other.open(ciphertext: sealed.ciphertext, iv: iv, tag: sealed.tag) == nil)
    }

    /// NIST SP 800-38D allows shorter tags, but an attacker with many attempts can guess a
    /// four-byte one.
    @Test(arguments: [0, 4, 12, 15, 17])
    func `a tag of another length is refused`(count: Int) throws {
        let cipher = try AES256GCM(key: secureRandomBytes(32))
        let iv = secureRandomBytes(12)
        let sealed = try cipher.seal(plaintext: [1, 2, 3], iv: iv)
        let tag = Array((sealed.tag + [0]).prefix(count))
        #expect(cipher.open(ciphertext: sealed.ciphertext, iv: iv, tag: tag) == nil)
    }

    @Test(arguments: [0, 11, 13, 16])
    func `an IV of another length is refused`(count: Int) throws {
        let cipher = try AES256GCM(key: secureRandomBytes(32))
        let iv = [UInt8](repeating: 0, count: count)
        let tag = [UInt8](repeating: 0, count: 16)
        #expect(cipher.open(ciphertext: [1], iv: iv, tag: tag) == nil)
        #expect(throws: KeyError.wrongLength(expected: 12, given: count)) {
            try cipher.seal(plaintext: [1], iv: iv)
        }
    }

    @Test(arguments: [0, 16, 31, 33, 64])
    func `a key of another length is refused`(count: Int) {
        #expect(throws: KeyError.wrongLength(expected: 32, given: count)) {
            try AES256GCM(key: [UInt8](repeating: 0, count: count))
        }
    }
}
