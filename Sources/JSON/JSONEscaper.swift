/// Writes the content of a JSON string, escaped where necessary; the rest is copied by words.
///
/// A body in JSON has a quote every few bytes, so a word with quotes is not scanned again after
/// each of them but processed in a register.
enum JSONEscaper {
    /// Writes `value` to `target`, which must have room for six times its bytes plus eight, because
    /// whole words are stored where fewer bytes are kept. Returns the end of what was written. With
    /// `isLatin1`, each byte becomes the code point of the same number.
    @inline(__always)
    static func write(
        _ value: Span<UInt8>, isLatin1: Bool, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var end = unsafe target
        var offset = 0
        while offset + 16 <= value.count {
            let first = ByteWord(value, at: offset)
            let second = ByteWord(value, at: offset + 8)
            let marks = (first.escapes(isLatin1: isLatin1), second.escapes(isLatin1: isLatin1))
            if marks.0 | marks.1 == 0 {
                unsafe store(first.bits, to: end)
                unsafe store(second.bits, to: end + 8)
                unsafe end += 16
            } else {
                unsafe write(first.bits, 8, marks.0, to: &end)
                unsafe write(second.bits, 8, marks.1, to: &end)
            }
            offset += 16
        }
        while offset < value.count {
            let count = min(8, value.count - offset)
            let word = ByteWord(value, at: offset, count: count)
            unsafe write(word.bits, count, word.escapes(isLatin1: isLatin1), to: &end)
            offset += count
        }
        return unsafe end
    }

    /// Writes the `count` lowest bytes of a word; those marked in their top bit are escaped.
    @inline(__always)
    private static func write(
        _ word: UInt64, _ count: Int, _ marks: UInt64, to end: inout UnsafeMutablePointer<UInt8>
    ) {
        var (rest, marks, count) = (word, marks, count)
        while marks != 0 {
            let plain = marks.trailingZeroBitCount >> 3
            unsafe store(rest, to: end)
            unsafe end += plain
            rest &>>= UInt64(plain * 8)
            unsafe escape(UInt8(truncatingIfNeeded: rest), &end)
            rest &>>= 8
            marks = (marks &>> UInt64(plain * 8)) &>> 8
            count -= plain + 1
        }
        unsafe store(rest, to: end)
        unsafe end += count
    }

    @inline(__always)
    private static func store(_ word: UInt64, to end: UnsafeMutablePointer<UInt8>) {
        unsafe UnsafeMutableRawPointer(end).storeBytes(of: word.littleEndian, as: UInt64.self)
    }

    /// Writes one byte that must be escaped.
    @inline(__always)
    private static func escape(_ byte: UInt8, _ end: inout UnsafeMutablePointer<UInt8>) {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            unsafe JSONWriter.put(UInt8(ascii: "\\"), &end)
            unsafe JSONWriter.put(byte, &end)
        } else if byte >= 0x80 {
            unsafe JSONWriter.put(0xC0 | byte >> 6, &end)
            unsafe JSONWriter.put(0x80 | byte & 0x3F, &end)
        } else {
            unsafe escape(control: byte, &end)
        }
    }

    private static func escape(control byte: UInt8, _ end: inout UnsafeMutablePointer<UInt8>) {
        unsafe JSONWriter.put(UInt8(ascii: "\\"), &end)
        switch byte {
        case 0x08: unsafe JSONWriter.put(UInt8(ascii: "b"), &end)
        case 0x09: unsafe JSONWriter.put(UInt8(ascii: "t"), &end)
        case 0x0A: unsafe JSONWriter.put(UInt8(ascii: "n"), &end)
        case 0x0C: unsafe JSONWriter.put(UInt8(ascii: "f"), &end)
        case 0x0D: unsafe JSONWriter.put(UInt8(ascii: "r"), &end)
        default:
            unsafe JSONWriter.put(UInt8(ascii: "u"), &end)
            unsafe JSONWriter.put(UInt8(ascii: "0"), &end)
            unsafe JSONWriter.put(UInt8(ascii: "0"), &end)
            unsafe JSONWriter.put(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"), &end)
            unsafe JSONWriter.put(byte & 15 < 10 ? 0x30 + (byte & 15) : 0x57 + (byte & 15), &end)
        }
    }
}
