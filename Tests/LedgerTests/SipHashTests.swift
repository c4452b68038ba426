import Testing

@testable import Ledger

@Suite struct SipHashTests {
    /// Made with `openssl mac -macopt hexkey:000102030405060708090a0b0c0d0e0f -macopt size:16
    /// SIPHASH` (OpenSSL 3.0) over the bytes 00 01 02 …; the first two are also in the reference
    /// code's `vectors.h`.
    @Test(arguments: [
        (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
        (2, "8177228da4a45dc7fca38bdef60affe4"), (7, "a1f1ebbed8dbc153c0b84aa61ff08239"),
        (8, "3b62a9ba6258f5610f83e264f31497b4"), (15, "5493e99933b0a8117e08ec0f97cfc3d9"),
    ])
    func `agrees with OpenSSL`(length: Int, expected: String) {
        let function = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        let message = (0..<length).map { UInt8($0) }
        let hash = function.hash(message.span)
        #expect(Self.hex(hash.low) + Self.hex(hash.high) == expected)
    }

    /// The tables of a snapshot were filled with hashes of both copied together.
    @Test func `what stands before need not be copied`() {
        let function = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        for count in 0...7 {
            for length in 0...33 {
                let message = (0..<count + length).map { UInt8($0) + 0xc8 }
                let prefix = message[..<count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
                let text = message[count...]
                let hash = function.hash(prefix, count: UInt64(count), text.span)
                let whole = function.hash(message.span)
                #expect(hash == whole)
            }
        }
    }

    private static func hex(_ word: UInt64) -> String {
        (0..<8).map { index in
            let byte = UInt8(truncatingIfNeeded: word >> (8 * UInt64(index)))
            return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
