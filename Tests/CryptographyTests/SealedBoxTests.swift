import TestSupport
import Testing

@testable import Cryptography

@Suite struct SealedBoxTests {
    private static let key = [UInt8](0..<32)

    @Test(arguments: [0, 1, 15, 16, 17, 100_000])
    func `what was sealed is opened`(_ count: Int) throws {
        let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for additional in [[], [UInt8](repeating: 7, count: 1000)] {
            let box = try SealedBox.seal(plaintext, key: Self.key, additional: additional)
            #expect(box.count == count + SealedBox.overheadBytes)
            #expect(SealedBox.open(box, key: Self.key, additional: additional) == plaintext)
            // The same bytes as by the class for keys that are used often.
            let other = try AES256GCM(key: Self.key)
                .open(
                    ciphertext: Array(box[12..<12 + count]), iv: Array(box[..<12]),
                    tag: Array(box.suffix(16)), additional: additional)
            #expect(other == plaintext)
        }
    }

    @Test func `another key, byte or addition does not open a box`() throws {
        let plaintext = Array("name: Ada Lovelace".utf8)
        let box = try SealedBox.seal(plaintext, key: Self.key, additional: [1])
        #expect(SealedBox.open(box, key: Self.key, additional: [2]) == nil)
        #expect(SealedBox.open(box, key: Self.key) == nil)
        #expect(SealedBox.open(box, key: [UInt8](1...32), additional: [1]) == nil)
        #expect(SealedBox.open(box, key: Array(Self.key.dropLast()), additional: [1]) == nil)
        for place in box.indices {
            var changed = box
            changed[place] ^= 1
            #expect(SealedBox.open(changed, key: Self.key, additional: [1]) == nil)
        }
        for count in 0..<box.count {
            #expect(SealedBox.open(Array(box[..<count]), key: Self.key, additional: [1]) == nil)
        }
    }

    @Test func `no two boxes are the same`() throws {
        let boxes = try (0..<100).map { _ in try SealedBox.seal([1, 2, 3], key: Self.key) }
        #expect(Set(boxes).count == 100)
        #expect(Set(boxes.map { $0.prefix(12) }).count == 100)
    }

    @Test func `a short key is refused`() {
        #expect(throws: KeyError.wrongLength(expected: 32, given: 31)) {
            try SealedBox.seal([], key: [UInt8](repeating: 0, count: 31))
        }
    }
}
