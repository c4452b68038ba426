/// Decodes string tokens.
enum JSONText {
    /// Appends the decoded content of a checked string token with escapes; `content` excludes the
    /// quotes.
    static func appendUnescaped(
        _ source: Span<UInt8>, _ content: Range<Int>, to output: inout [UInt8]
    ) {
        output.reserveCapacity(output.count + content.count)
        var offset = content.lowerBound
        while offset < content.upperBound {
            let byte = source[offset]
            guard byte == UInt8(ascii: "\\") else {
                output.append(byte)
                offset += 1
                continue
            }
            switch source[offset + 1] {
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0C)
            case UInt8(ascii: "n"): output.append(0x0A)
            case UInt8(ascii: "r"): output.append(0x0D)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "u"):
                let scalar = scalar(source, from: offset)
                output.append(contentsOf: scalar.utf8)
                offset += scalar.value > 0xFFFF ? 12 : 6
                continue
            case let other: output.append(other)  // Quote, backslash or slash
            }
            offset += 2
        }
    }

    /// The scalar of a checked `\u` escape, which may be a surrogate pair.
    private static func scalar(_ source: Span<UInt8>, from start: Int) -> Unicode.Scalar {
        // The lexer has accepted these escapes, so neither fallback is ever taken.
        let lead = UInt32((try? JSONLexer.codeUnit(source, from: start)) ?? 0)
        if let scalar = Unicode.Scalar(lead) { return scalar }
        let trail = UInt32((try? JSONLexer.codeUnit(source, from: start + 6)) ?? 0)
        let value = 0x10000 + ((lead - 0xD800) << 10) + (trail &- 0xDC00)
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}
