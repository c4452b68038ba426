extension Span<UInt8> {
    /// The first position in `start..<end` whose byte may not stand in a field value (every control
    /// except HTAB: so also CR and LF), or `end`.
    ///
    /// Most of a head is field values, hence eight bytes at a time: a word without a byte below
    /// 0x20 and without 0x7F is passed over whole.
    @inline(__always)
    func firstNonFieldContent(from start: Int, to end: Int) -> Int {
        var index = start
        let raw = bytes
        while index &+ 8 <= end {
            let word = raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard !Self.mayHoldControl(word) else { break }
            index &+= 8
        }
        while index < end, ByteClass.isFieldContent(self[index]) {
            index &+= 1
        }
        return index
    }

    /// Whether one of the word's bytes may be below 0x20 or be 0x7F. The borrow between bytes can
    /// only turn a "no" into a "yes", and a "yes" is looked at byte by byte.
    @inline(__always)
    private static func mayHoldControl(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let below = (word &- ones &* 0x20) & ~word & tops
        let deletes = word ^ (ones &* 0x7F)
        let equal = (deletes &- ones) & ~deletes & tops
        return (below | equal) != 0
    }
}
