/// CRC-32 as zlib and gzip have it (ISO 3309, RFC 1952 section 8). Detects damage, not forgery:
/// anyone can write a text with a given checksum.
package enum CRC32 {
    /// The checksum of `bytes`.
    package static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)]
        }
        return ~crc
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        // The polynomial 0x04C11DB7, bits reversed.
        (0..<8).reduce(UInt32(byte)) { crc, _ in
            crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1
        }
    }
}
