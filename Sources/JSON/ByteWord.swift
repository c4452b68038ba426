/// Eight bytes that are examined together. Text between quotes is most of a notification, and
/// scanning it by words is about five times as fast as by bytes.
///
/// The tests below return a mark, the top bit, in each byte that matches. A byte above a true match
/// may be marked too (the subtraction borrows), but never one below the first, so only
/// `offsetOfFirst` may be applied to these marks. (Anderson, "Bit Twiddling Hacks", haszero and
/// hasless.)
struct ByteWord {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let tops: UInt64 = 0x8080_8080_8080_8080

    let bits: UInt64

    /// - Precondition: `offset + 8 <= source.count`, checked by the span.
    @inline(__always)
    init(_ source: Span<UInt8>, at offset: Int) {
        let word = unsafe source.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
        bits = UInt64(littleEndian: word)
    }

    /// The next `count` bytes, at most eight, followed by spaces if fewer.
    ///
    /// - Precondition: 1 ≤ `count` ≤ 8 and `offset + count <= source.count`, checked by the span.
    @inline(__always)
    init(_ source: Span<UInt8>, at offset: Int, count: Int) {
        let spaces = (Self.ones &* 0x20) << UInt64(count * 8)
        // Two overlapping loads, or three bytes of which some may be the same: no loop.
        if count >= 4 {
            let low = UInt64(Self.half(source, at: offset))
            let high = UInt64(Self.half(source, at: offset + count - 4))
            bits = spaces | low | high << UInt64(count * 8 - 32)
        } else {
            let middle = count / 2
            let low = UInt64(source[offset]) | UInt64(source[offset + middle]) << UInt64(middle * 8)
            bits = spaces | low | UInt64(source[offset + count - 1]) << UInt64(count * 8 - 8)
        }
    }

    @inline(__always)
    private static func half(_ source: Span<UInt8>, at offset: Int) -> UInt32 {
        let half = unsafe source.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return UInt32(littleEndian: half)
    }

    /// Marks the bytes that a JSON writer must escape, and with `isLatin1` the bytes above ASCII.
    /// Every mark is exact, because no addition carries into the next byte, so all of them can be
    /// used.
    @inline(__always)
    func escapes(isLatin1: Bool) -> UInt64 {
        let low = bits & ~Self.tops
        let isNoQuote = (low ^ Self.ones &* UInt64(UInt8(ascii: "\""))) &+ ~Self.tops
        let isNoBackslash = (low ^ Self.ones &* UInt64(UInt8(ascii: "\\"))) &+ ~Self.tops
        let isNoControl = low &+ Self.ones &* 0x60
        let isPlain = isNoQuote & isNoBackslash & isNoControl
        return (isLatin1 ? ~isPlain | bits : ~(isPlain | bits)) & Self.tops
    }

    @inline(__always)
    private func matches(_ byte: UInt8) -> UInt64 {
        let difference = bits ^ (Self.ones &* UInt64(byte))
        return (difference &- Self.ones) & ~difference & Self.tops
    }

    /// Marks quotes, backslashes and control characters, which must not appear unescaped in a
    /// string.
    @inline(__always)
    var special: UInt64 {
        let controls = (bits &- Self.ones &* 0x20) & ~bits & Self.tops
        return matches(UInt8(ascii: "\"")) | matches(UInt8(ascii: "\\")) | controls
    }

    /// Marks quotes and backslashes only.
    @inline(__always)
    var quotes: UInt64 { matches(UInt8(ascii: "\"")) | matches(UInt8(ascii: "\\")) }

    /// Marks bytes of multi-byte UTF-8 sequences.
    @inline(__always)
    var nonASCII: UInt64 { bits & Self.tops }

    /// Index of the first marked byte, 0 to 7; 8 if there is none.
    @inline(__always)
    static func offsetOfFirst(_ marks: UInt64) -> Int { marks.trailingZeroBitCount >> 3 }
}
