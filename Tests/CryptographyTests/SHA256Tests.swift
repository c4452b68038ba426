import Bytes
import Cryptography
import Testing

@Suite struct SHA256Tests {
    /// FIPS 180-4's examples, and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `hashes the published examples`(message: String, digest: String) {
        #expect(Hex.encode(SHA256.hash(Array(message.utf8))) == digest)
    }

    @Test func `hashes a million letters`() {
        let digest = SHA256.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(
            Hex.encode(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        )
    }

    @Test func `parts hash as if they were joined`() {
        let message = Array("0123456789".utf8)
        let whole = SHA256.hash(message)
        #expect(SHA256.hash(parts: [message[..<3], message[3..<3], message[3...]]) == whole)
        #expect(SHA256.hash(parts: []) == SHA256.hash([]))
        #expect(SHA256.hash(parts: [message[1...]]) != whole)
    }

    @Test func `a digest may overwrite the first input`() {
        var link = [UInt8](repeating: 7, count: 32)
        let body = Array("body".utf8)
        let expected = SHA256.hash(link + body)
        link.withUnsafeMutableBytes { link in
            body.withUnsafeBytes { body in
                SHA256.hash(UnsafeRawBufferPointer(link), body, into: link)
            }
        }
        #expect(link == expected)
    }

    @Test func `one flipped bit changes the digest`() {
        let message = Array("abc".utf8)
        var other = message
        other[2] ^= 1
        #expect(SHA256.hash(message) != SHA256.hash(other))
    }

    @Test func `many threads hash at once`() async {
        let messages = (0..<64).map { [UInt8](repeating: UInt8($0), count: 100 * $0) }
        let expected = messages.map { SHA256.hash($0) }
        let isSame = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<50).allSatisfy { _ in messages.map { SHA256.hash($0) } == expected }
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(isSame)
    }
}
