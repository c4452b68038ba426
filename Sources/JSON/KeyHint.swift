/// 32 bits drawn from a member name, to tell most names apart without comparing them.
///
/// Not seeded and not meant to withstand an attacker: `DuplicateKeys` uses it for small objects
/// only, where even all hints equal costs little.
enum KeyHint {
    @inline(__always)
    static func of(_ source: Span<UInt8>, _ content: Range<Int>) -> UInt32 {
        let length = content.count
        var hint = UInt64(truncatingIfNeeded: length)
        if length >= 8 {
            let first = ByteWord(source, at: content.lowerBound).bits
            let last = ByteWord(source, at: content.upperBound - 8).bits
            hint ^= first ^ (last << 23 | last >> 41)
        } else if content.lowerBound + 8 <= source.count {
            // Reads past the name but inside the text; the shift drops what is not the name.
            let word = ByteWord(source, at: content.lowerBound).bits
            hint ^= length == 0 ? 0 : word << UInt64(64 - 8 * length)
        } else {
            // At the very end of the text: the same eight bytes, put together one by one, for a
            // name must have the same hint wherever it stands.
            for offset in content {
                hint ^= UInt64(source[offset]) << UInt64(64 - 8 * (content.upperBound - offset))
            }
        }
        return UInt32(truncatingIfNeeded: (hint &* 0x9E37_79B9_7F4A_7C15) >> 32)
    }
}
