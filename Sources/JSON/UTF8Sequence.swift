/// Checks UTF-8 (RFC 3629 §4, the table of well-formed sequences).
enum UTF8Sequence {
    /// Returns the end of the multi-byte sequence at `start`, or nil if it is ill-formed: a stray
    /// continuation, overlong, a surrogate, above U+10FFFF, or cut off.
    static func end(_ source: Span<UInt8>, from start: Int) -> Int? {
        let length: Int
        let second: ClosedRange<UInt8>
        switch source[start] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)  // below are overlong forms
        case 0xED: (length, second) = (3, 0x80...0x9F)  // above are surrogates
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)  // below are overlong forms
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)  // above is beyond U+10FFFF
        default: return nil
        }
        guard start + length <= source.count, second.contains(source[start + 1]) else {
            return nil
        }
        for offset in start + 2..<start + length where source[offset] & 0xC0 != 0x80 {
            return nil
        }
        return start + length
    }

    static func isValid(_ source: Span<UInt8>) -> Bool {
        var offset = 0
        while offset < source.count {
            if offset + 16 <= source.count {
                let words = (ByteWord(source, at: offset), ByteWord(source, at: offset + 8))
                if words.0.nonASCII | words.1.nonASCII == 0 {
                    offset += 16
                    continue
                }
            }
            if offset + 8 <= source.count {
                let step = ByteWord.offsetOfFirst(ByteWord(source, at: offset).nonASCII)
                offset += step
                if step == 8 { continue }
            }
            if source[offset] < 0x80 {
                offset += 1
            } else {
                guard let end = end(source, from: offset) else { return false }
                offset = end
            }
        }
        return true
    }
}
