/// The tokens of RFC 8259, as functions from the start of a token to its end. Shared by the parser
/// and the scanner, so that both accept the same language. All reads use `Span`: an offset beyond
/// the text traps, in release builds too, instead of reading other memory.
enum JSONLexer {
    /// A string token; offsets include the quotes.
    struct StringToken {
        var start: Int
        var end: Int
        var hasEscapes: Bool

        /// The range between the quotes.
        var content: Range<Int> { start + 1..<end - 1 }
    }

    /// A number token.
    struct NumberToken {
        var end: Int
        /// True if the number has neither a fraction nor an exponent.
        var isInteger: Bool
    }

    @inline(__always)
    static func skipWhitespace(_ source: Span<UInt8>, from start: Int) -> Int {
        var offset = start
        while offset < source.count {
            switch source[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return offset
            }
        }
        return offset
    }

    /// Checks the string whose opening quote is at `start`.
    static func string(_ source: Span<UInt8>, from start: Int) throws(JSONError) -> StringToken {
        var offset = start + 1
        var hasEscapes = false
        while offset < source.count {
            if offset + 8 <= source.count {
                let word = ByteWord(source, at: offset)
                let step = ByteWord.offsetOfFirst(word.special | word.nonASCII)
                offset += step
                if step == 8 { continue }
            }
            switch source[offset] {
            case UInt8(ascii: "\""):
                return StringToken(start: start, end: offset + 1, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                offset = try escape(source, from: offset)
            case 0x20..<0x80:
                offset += 1
            case ..<0x20:
                throw .controlCharacter(offset)
            default:
                guard let end = UTF8Sequence.end(source, from: offset) else {
                    throw .utf8(offset)
                }
                offset = end
            }
        }
        throw .truncated(source.count)
    }

    /// Checks the escape whose backslash is at `start` and returns its end; a surrogate pair is one
    /// escape.
    static func escape(_ source: Span<UInt8>, from start: Int) throws(JSONError) -> Int {
        guard start + 1 < source.count else { throw .truncated(source.count) }
        switch source[start + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return start + 2
        case UInt8(ascii: "u"):
            let unit = try codeUnit(source, from: start)
            guard UTF16.isSurrogate(unit) else { return start + 6 }
            guard UTF16.isLeadSurrogate(unit) else { throw .surrogate(start) }
            guard start + 7 < source.count else {
                // The rest is missing; whatever it is, the text cannot be complete.
                throw start + 6 < source.count && source[start + 6] != UInt8(ascii: "\\")
                    ? .surrogate(start) : .truncated(source.count)
            }
            guard source[start + 6] == UInt8(ascii: "\\"), source[start + 7] == UInt8(ascii: "u")
            else { throw .surrogate(start) }
            guard UTF16.isTrailSurrogate(try codeUnit(source, from: start + 6)) else {
                throw .surrogate(start)
            }
            return start + 12
        default:
            throw .escape(start)
        }
    }

    /// The value of the four hexadecimal digits of the `\u` escape at `start`.
    static func codeUnit(_ source: Span<UInt8>, from start: Int) throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for offset in start + 2..<start + 6 {
            guard offset < source.count else { throw .truncated(source.count) }
            let digit: UInt8
            switch source[offset] {
            case let byte where byte &- UInt8(ascii: "0") < 10: digit = byte - UInt8(ascii: "0")
            case let byte where (byte | 0x20) &- UInt8(ascii: "a") < 6:
                digit = (byte | 0x20) - UInt8(ascii: "a") + 10
            default: throw .escape(start)
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Checks the number that starts at `start` with a digit or a minus sign (RFC 8259 §6).
    static func number(_ source: Span<UInt8>, from start: Int) throws(JSONError) -> NumberToken {
        var offset = start
        if source[offset] == UInt8(ascii: "-") { offset += 1 }
        let firstDigit = offset
        offset = try digits(source, from: offset)
        if source[firstDigit] == UInt8(ascii: "0"), offset > firstDigit + 1 {
            throw .number(firstDigit)  // a leading zero
        }
        var isInteger = true
        if offset < source.count, source[offset] == UInt8(ascii: ".") {
            isInteger = false
            offset = try digits(source, from: offset + 1)
        }
        if offset < source.count, source[offset] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            offset += 1
            if offset < source.count,
                source[offset] == UInt8(ascii: "+") || source[offset] == UInt8(ascii: "-")
            {
                offset += 1
            }
            offset = try digits(source, from: offset)
        }
        return NumberToken(end: offset, isInteger: isInteger)
    }

    /// Checks one or more digits and returns their end.
    @inline(__always)
    private static func digits(
        _ source: Span<UInt8>, from start: Int
    ) throws(JSONError) -> Int {
        var offset = start
        while offset < source.count, source[offset] &- UInt8(ascii: "0") < 10 { offset += 1 }
        guard offset > start else {
            throw start < source.count ? .number(start) : .truncated(start)
        }
        return offset
    }

    /// Checks `true`, `false` or `null` and returns its end.
    static func literal(
        _ source: Span<UInt8>, _ spelling: StaticString, from start: Int
    ) throws(JSONError) -> Int {
        for index in 0..<spelling.utf8CodeUnitCount {
            guard start + index < source.count else { throw .truncated(source.count) }
            guard unsafe source[start + index] == spelling.utf8Start[index] else {
                throw .syntax(start + index)
            }
        }
        return start + spelling.utf8CodeUnitCount
    }

    /// The error for a byte that cannot start a value: `+1` and `.5` are reported as numbers.
    static func unexpected(_ source: Span<UInt8>, at offset: Int) -> JSONError {
        guard offset < source.count else { return .truncated(offset) }
        switch source[offset] {
        case UInt8(ascii: "+"), UInt8(ascii: "."): return .number(offset)
        default: return .syntax(offset)
        }
    }
}

extension JSONLexer {
    /// The value of an integer token; nil if it does not fit in 64 bits.
    static func int64(_ source: Span<UInt8>, _ token: Range<Int>) -> Int64? {
        let isNegative = source[token.lowerBound] == UInt8(ascii: "-")
        // Accumulated as a negative number, because the negative range is larger by one.
        var value: Int64 = 0
        for offset in token.lowerBound + (isNegative ? 1 : 0)..<token.upperBound {
            let digit = Int64(source[offset] &- UInt8(ascii: "0"))
            let (product, hasOverflowed) = value.multipliedReportingOverflow(by: 10)
            let (difference, hasUnderflowed) = product.subtractingReportingOverflow(digit)
            if hasOverflowed || hasUnderflowed { return nil }
            value = difference
        }
        guard !isNegative else { return value }
        return value == Int64.min ? nil : -value
    }
}

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
