import Bytes
import Cryptography
import Testing

/// One of RFC 4231's cases.
struct HMACVector: Sendable {
    let key: [UInt8]
    let message: [UInt8]
    let sha256: String
    let sha512: String
}

@Suite struct HMACTests {
    static let vectors = [
        // Section 4.2.
        HMACVector(
            key: [UInt8](repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
            sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            sha512: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"),
        // Section 4.3: a key shorter than the digest.
        HMACVector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            sha512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"),
        // Section 4.4.
        HMACVector(
            key: [UInt8](repeating: 0xaa, count: 20), message: [UInt8](repeating: 0xdd, count: 50),
            sha256: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            sha512: "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
                + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"),
        // Section 4.7: a key longer than the digest's block.
        HMACVector(
            key: [UInt8](repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            sha512: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"),
    ]

    @Test(arguments: vectors)
    func `codes the published examples`(vector: HMACVector) {
        let short = HMAC.code(.sha256, key: vector.key, message: vector.message)
        let long = HMAC.code(.sha512, key: vector.key, message: vector.message)
        #expect(Hex.encode(short) == vector.sha256)
        #expect(Hex.encode(long) == vector.sha512)
    }

    @Test(arguments: HMAC.Algorithm.allCases)
    func `parts code as if they were joined`(algorithm: HMAC.Algorithm) {
        let key = Array("key".utf8)
        let message = Array("0123456789".utf8)
        let parts = [message[..<0], message[..<4], message[4...]]
        let code = HMAC.code(algorithm, key: key, message: message)
        #expect(HMAC.code(algorithm, key: key, parts: parts) == code)
        #expect(code.count == algorithm.byteCount)
    }

    @Test func `one flipped bit in key or message changes the code`() {
        let code = HMAC.code(.sha256, key: [1, 2, 3], message: [4, 5, 6])
        #expect(HMAC.code(.sha256, key: [1, 2, 2], message: [4, 5, 6]) != code)
        #expect(HMAC.code(.sha256, key: [1, 2, 3], message: [4, 5, 7]) != code)
    }

    /// With a null key OpenSSL would reuse the last key; the code of an empty key and message is
    /// published.
    @Test func `an empty key is not the key of the last use`() {
        _ = HMAC.code(.sha256, key: [1, 2, 3], message: [])
        #expect(
            Hex.encode(HMAC.code(.sha256, key: [], message: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    /// The state of one message must not affect the next one, and keys must not affect each other.
    @Test(arguments: HMAC.Algorithm.allCases)
    func `a key codes many messages`(algorithm: HMAC.Algorithm) {
        let keys: [[UInt8]] = [[], [1, 2, 3], [UInt8](repeating: 7, count: 200)]
        let made = keys.map { HMACKey(algorithm, $0) }
        for count in [0, 1, 64, 1000, 3] {
            let message = [UInt8](repeating: 9, count: count)
            for (key, bytes) in zip(made, keys) {
                let code = key.code(message)
                #expect(code == HMAC.code(algorithm, key: bytes, message: message))
                #expect(
                    code == key.code(parts: [message[..<(count / 2)], message[(count / 2)...]]))
            }
        }
    }
}
