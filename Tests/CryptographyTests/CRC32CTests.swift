import Testing

@testable import Cryptography

@Suite struct CRC32CTests {
    /// RFC 3720 appendix B.4, with the bytes in wire order (least significant first).
    static let vectors: [(bytes: [UInt8], checksum: UInt32)] = [
        ([UInt8](repeating: 0, count: 32), 0x8a91_36aa),
        ([UInt8](repeating: 0xff, count: 32), 0x62a8_ab43),
        (Array(0..<32), 0x46dd_794e),
        (Array((0..<32).reversed()), 0x113f_db5c),
        (
            [
                0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x14,
                0x00, 0x00, 0x00, 0x18, 0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00,
                0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
            ], 0xd996_3a56
        ),
        (Array("123456789".utf8), 0xe306_9283),
        ([], 0),
    ]

    @Test(arguments: vectors)
    func `checks the published examples`(bytes: [UInt8], checksum: UInt32) {
        #expect(CRC32C.checksum(bytes) == checksum)
        #expect(bytes.withUnsafeBytes { CRC32C.portableChecksum($0) } == checksum)
    }

    /// Every length up to a few steps, at every alignment: tables and instruction must agree.
    @Test func `tables and instruction agree`() {
        let bytes = secureRandomBytes(96)
        bytes.withUnsafeBytes { bytes in
            for start in 0..<8 {
                for end in start...bytes.count {
                    let slice = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    #expect(CRC32C.checksum(slice) == CRC32C.portableChecksum(slice))
                }
            }
        }
    }

    /// Long texts are read in three lanes: lengths around one, two and three rounds of them.
    @Test func `lanes and tables agree`() {
        let bytes = secureRandomBytes(3 * 3072 + 20)
        bytes.withUnsafeBytes { bytes in
            for rounds in 1...3 {
                for length in (rounds * 3072 - 9)...(rounds * 3072 + 9) {
                    let slice = UnsafeRawBufferPointer(rebasing: bytes[3..<3 + length])
                    #expect(
                        CRC32C.checksum(slice, seed: 7)
                            == CRC32C.portableChecksum(slice, seed: 7))
                }
            }
        }
    }

    @Test func `a seed continues`() {
        let whole = Array("123456789".utf8)
        for cut in 0...whole.count {
            let first = CRC32C.checksum(Array(whole[..<cut]))
            #expect(CRC32C.checksum(Array(whole[cut...]), seed: first) == 0xe306_9283)
            let portable = Array(whole[cut...]).withUnsafeBytes {
                CRC32C.portableChecksum($0, seed: first)
            }
            #expect(portable == 0xe306_9283)
        }
    }

    @Test func `every flipped bit is seen`() {
        let bytes = [UInt8](repeating: 0x5a, count: 40)
        let checksum = CRC32C.checksum(bytes)
        for bit in 0..<320 {
            var other = bytes
            other[bit / 8] ^= 1 << (bit % 8)
            #expect(CRC32C.checksum(other) != checksum)
        }
    }
}
