import COpenSSL

/// CRC-32C, the Castagnoli polynomial (RFC 3720 section 12.1, appendix B.4). Detects damage, not
/// forgery.
package enum CRC32C {
    /// The checksum of `bytes`, continued from `seed`: `checksum(b, seed: checksum(a))` is the
    /// checksum of a and b joined.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt32 = 0) -> UInt32 {
        guard let base = bytes.baseAddress else { return seed }
        if isInHardware { return ~ipnd_crc32c_update(~seed, base, bytes.count) }
        return portableChecksum(bytes, seed: seed)
    }

    /// The checksum of `bytes`.
    package static func checksum(_ bytes: [UInt8], seed: UInt32 = 0) -> UInt32 {
        bytes.withUnsafeBytes { checksum($0, seed: seed) }
    }

    /// Whether this processor has the instruction (SSE4.2, or ARMv8's CRC extension).
    static let isInHardware = ipnd_crc32c_available() != 0

    /// The same computed by tables, eight bytes per step ("slicing by 8"), for processors without
    /// the instruction.
    static func portableChecksum(_ bytes: UnsafeRawBufferPointer, seed: UInt32 = 0) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            var crc = ~seed
            var index = 0
            while bytes.count - index >= 8 {
                let word =
                    UInt64(
                        littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                    ^ UInt64(crc)
                crc = 0
                for position in 0..<8 {
                    let byte = Int(truncatingIfNeeded: word >> (8 * position)) & 0xff
                    crc ^= tables[256 * (7 - position) + byte]
                }
                index += 8
            }
            while index < bytes.count {
                crc = crc >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[index])]
                index += 1
            }
            return ~crc
        }
    }

    /// Eight tables of 256: table k holds the effect of a byte that is k bytes before the end of
    /// the step.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            // The polynomial 0x1EDC6F41, bits reversed.
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82f6_3b78 : crc >> 1 }
            tables[byte] = crc
        }
        for entry in 256..<tables.count {
            let previous = tables[entry - 256]
            tables[entry] = previous >> 8 ^ tables[Int(previous & 0xff)]
        }
        return tables
    }()
}
