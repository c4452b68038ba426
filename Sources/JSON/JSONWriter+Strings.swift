extension JSONWriter {
    package mutating func string(_ value: String) {
        comma()
        var value = value
        value.withUTF8 { quoted($0.span) }
    }

    /// Text of bytes that the caller knows to be UTF-8, or has checked with `isValidUTF8`.
    package mutating func string(utf8 value: ArraySlice<UInt8>) {
        comma()
        quoted(value.span)
    }

    /// Each byte becomes the code point of the same number (ISO 8859-1), so any bytes can be
    /// written and read back. For header values, which RFC 9110 §5.5 does not bind to UTF-8.
    package mutating func string(latin1 value: ArraySlice<UInt8>) {
        comma()
        if value.allSatisfy({ $0 < 0x80 }) { return quoted(value.span) }
        var utf8: [UInt8] = []
        utf8.reserveCapacity(value.count * 2)
        for byte in value { utf8.append(contentsOf: Unicode.Scalar(byte).utf8) }
        quoted(utf8.span)
    }

    /// Whether the bytes are well-formed UTF-8 (RFC 3629 §4).
    package static func isValidUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
        UTF8Sequence.isValid(bytes.span)
    }

    private mutating func quoted(_ value: Span<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        for offset in 0..<value.count {
            escaped(value[offset])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
        case 0x08: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "b")]
        case 0x09: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
        case 0x0A: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
        case 0x0C: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "f")]
        case 0x0D: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
        case ..<0x20:
            let digits: StaticString = "0123456789abcdef"
            bytes.append(contentsOf: [0x5C, 0x75, 0x30, 0x30])  // \u00
            bytes.append(digits.utf8Start[Int(byte >> 4)])
            bytes.append(digits.utf8Start[Int(byte & 15)])
        default: bytes.append(byte)
        }
    }
}
