/// Writes the inside of a JSON string: what must be escaped is, and the rest is copied by the word.
///
/// A body in JSON has a quote every few bytes, so a word with quotes in it is not looked at again
/// from each of them: it is taken apart in a register.
enum JSONEscaper {
    /// Writes `value` to `target`, which must have room for six times its bytes and eight more, for
    /// whole words are stored where fewer bytes are kept; says where it ends. With `isLatin1` each
    /// byte becomes the code point of the same number.
    @inline(__always)
    static func write(
        _ value: Span<UInt8>, isLatin1: Bool, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var end = target
        var offset = 0
        while offset + 16 <= value.count {
            let first = ByteWord(value, at: offset)
            let second = ByteWord(value, at: offset + 8)
            let marks = (first.escapes(isLatin1: isLatin1), second.escapes(isLatin1: isLatin1))
            if marks.0 | marks.1 == 0 {
                store(first.bits, to: end)
                store(second.bits, to: end + 8)
                end += 16
            } else {
                write(first.bits, 8, marks.0, to: &end)
                write(second.bits, 8, marks.1, to: &end)
            }
            offset += 16
        }
        while offset < value.count {
            let count = min(8, value.count - offset)
            let word = ByteWord(value, at: offset, count: count)
            write(word.bits, count, word.escapes(isLatin1: isLatin1), to: &end)
            offset += count
        }
        return end
    }

    /// Writes the `count` lowest bytes of a word, of which those with a mark in their top bit need
    /// more than copying.
    @inline(__always)
    private static func write(
        _ word: UInt64, _ count: Int, _ marks: UInt64, to end: inout UnsafeMutablePointer<UInt8>
    ) {
        var (rest, marks, count) = (word, marks, count)
        while marks != 0 {
            let plain = marks.trailingZeroBitCount >> 3
            store(rest, to: end)
            end += plain
            rest &>>= UInt64(plain * 8)
            escape(UInt8(truncatingIfNeeded: rest), &end)
            rest &>>= 8
            marks = (marks &>> UInt64(plain * 8)) &>> 8
            count -= plain + 1
        }
        store(rest, to: end)
        end += count
    }

    @inline(__always)
    private static func store(_ word: UInt64, to end: UnsafeMutablePointer<UInt8>) {
        UnsafeMutableRawPointer(end).storeBytes(of: word.littleEndian, as: UInt64.self)
    }

    /// A byte that does not stand for itself.
    @inline(__always)
    private static func escape(_ byte: UInt8, _ end: inout UnsafeMutablePointer<UInt8>) {
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            JSONWriter.put(UInt8(ascii: "\\"), &end)
            JSONWriter.put(byte, &end)
        } else if byte >= 0x80 {
            JSONWriter.put(0xC0 | byte >> 6, &end)
            JSONWriter.put(0x80 | byte & 0x3F, &end)
        } else {
            escape(control: byte, &end)
        }
    }

    private static func escape(control byte: UInt8, _ end: inout UnsafeMutablePointer<UInt8>) {
        JSONWriter.put(UInt8(ascii: "\\"), &end)
        switch byte {
        case 0x08: JSONWriter.put(UInt8(ascii: "b"), &end)
        case 0x09: JSONWriter.put(UInt8(ascii: "t"), &end)
        case 0x0A: JSONWriter.put(UInt8(ascii: "n"), &end)
        case 0x0C: JSONWriter.put(UInt8(ascii: "f"), &end)
        case 0x0D: JSONWriter.put(UInt8(ascii: "r"), &end)
        default:
            JSONWriter.put(UInt8(ascii: "u"), &end)
            JSONWriter.put(UInt8(ascii: "0"), &end)
            JSONWriter.put(UInt8(ascii: "0"), &end)
            JSONWriter.put(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"), &end)
            JSONWriter.put(byte & 15 < 10 ? 0x30 + (byte & 15) : 0x57 + (byte & 15), &end)
        }
    }
}
