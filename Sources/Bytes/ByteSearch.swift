extension Span<UInt8> {
    /// The first offset of `byte` at or after `start`, nil if there is none. Eight bytes are
    /// compared at once (Anderson, "Bit Twiddling Hacks", haszero), several times as fast as one by
    /// one.
    package func firstOffset(of byte: UInt8, from start: Int = 0) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var offset = start
        while offset + 8 <= count {
            let word = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let difference = UInt64(littleEndian: word) ^ (ones &* UInt64(byte))
            let marks = (difference &- ones) & ~difference & (ones << 7)
            if marks != 0 { return offset + (marks.trailingZeroBitCount >> 3) }
            offset += 8
        }
        while offset < count, self[offset] != byte { offset += 1 }
        return offset < count ? offset : nil
    }
}
