extension JSONWriter {
    /// How much text is escaped at a time, which bounds the room that is made for the worst case.
    private static let chunkBytes = 4096

    /// Text, escaped where it must be.
    package mutating func string(_ value: String) {
        var value = value
        value.withUTF8 { quoted($0.span, isLatin1: false) }
    }

    /// Text of bytes that the caller knows to be UTF-8, or has checked with `isValidUTF8`.
    package mutating func string(utf8 value: ArraySlice<UInt8>) {
        quoted(value.span, isLatin1: false)
    }

    /// Text of bytes that the caller knows to be UTF-8, or has checked with `isValidUTF8`.
    package mutating func string(utf8 value: Span<UInt8>) {
        quoted(value, isLatin1: false)
    }

    /// Each byte becomes the code point of the same number (ISO 8859-1), so any bytes can be
    /// written and read back. For header values, which RFC 9110 §5.5 does not bind to UTF-8.
    package mutating func string(latin1 value: ArraySlice<UInt8>) {
        quoted(value.span, isLatin1: true)
    }

    /// Whether the bytes are well-formed UTF-8 (RFC 3629 §4).
    package static func isValidUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
        UTF8Sequence.isValid(bytes.span)
    }

    private mutating func quoted(_ value: Span<UInt8>, isLatin1: Bool) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        while start < value.count {
            let end = min(start + Self.chunkBytes, value.count)
            let chunk = value.extracting(start..<end)
            // At worst six bytes for one; a whole word may be stored where one byte is kept.
            append(atMost: chunk.count * 6 + 8) { Self.escape(chunk, isLatin1: isLatin1, to: $0) }
            start = end
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes text without its quotes to `target`, which must have room for six times its bytes and
    /// eight more; says where it ends.
    package static func escape(
        utf8 value: Span<UInt8>, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        escape(value, isLatin1: false, to: target)
    }

    /// As `escape(utf8:to:)`; each byte becomes the code point of the same number.
    package static func escape(
        latin1 value: Span<UInt8>, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        escape(value, isLatin1: true, to: target)
    }

    @inline(__always)
    private static func escape(
        _ value: Span<UInt8>, isLatin1: Bool, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var end = target
        var offset = 0
        while offset < value.count {
            if offset + 8 <= value.count {
                // Stores all eight bytes, keeps those before the first that needs more.
                let word = ByteWord(value, at: offset)
                UnsafeMutableRawPointer(end).storeBytes(
                    of: word.bits.littleEndian, as: UInt64.self)
                let step = ByteWord.offsetOfFirst(
                    isLatin1 ? word.special | word.nonASCII : word.special)
                offset += step
                end += step
                if step == 8 { continue }
            }
            let byte = value[offset]
            offset += 1
            if byte >= 0x80, isLatin1 {
                put(0xC0 | byte >> 6, &end)
                put(0x80 | byte & 0x3F, &end)
            } else {
                escape(byte, &end)
            }
        }
        return end
    }

    @inline(__always)
    private static func escape(_ byte: UInt8, _ end: inout UnsafeMutablePointer<UInt8>) {
        let short: UInt8
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): short = byte
        case 0x08: short = UInt8(ascii: "b")
        case 0x09: short = UInt8(ascii: "t")
        case 0x0A: short = UInt8(ascii: "n")
        case 0x0C: short = UInt8(ascii: "f")
        case 0x0D: short = UInt8(ascii: "r")
        case ..<0x20:
            put(UInt8(ascii: "\\"), &end)
            put(UInt8(ascii: "u"), &end)
            put(UInt8(ascii: "0"), &end)
            put(UInt8(ascii: "0"), &end)
            put(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"), &end)
            put(byte & 15 < 10 ? 0x30 + (byte & 15) : 0x57 + (byte & 15), &end)
            return
        default: return put(byte, &end)
        }
        put(UInt8(ascii: "\\"), &end)
        put(short, &end)
    }
}
