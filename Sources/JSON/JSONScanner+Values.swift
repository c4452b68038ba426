extension JSONScanner {
    /// The string that comes next, decoded.
    package mutating func string() throws(JSONError) -> String {
        let token = try stringToken()
        let content = offset + 1..<token.end - 1
        offset = token.end
        guard token.hasEscapes else {
            return String(decoding: UnsafeBufferPointer(rebasing: text[content]), as: UTF8.self)
        }
        var output: [UInt8] = []
        JSONText.appendUnescaped(text.span, content, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// The integer that comes next. A fraction, an exponent or a value beyond 64 bits is refused
    /// as `number`.
    package mutating func int64() throws(JSONError) -> Int64 {
        skipWhitespace()
        guard offset < text.count else { throw .truncated(offset) }
        switch text[offset] {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
        default: throw JSONLexer.unexpected(text.span, at: offset)
        }
        let token = try JSONLexer.number(text.span, from: offset)
        guard token.isInteger, let value = JSONLexer.int64(text.span, offset..<token.end) else {
            throw .number(offset)
        }
        offset = token.end
        isAtStart = false
        return value
    }

    /// The boolean that comes next.
    package mutating func boolean() throws(JSONError) -> Bool {
        skipWhitespace()
        guard offset < text.count else { throw .truncated(offset) }
        let value = text[offset] == UInt8(ascii: "t")
        offset = try JSONLexer.literal(text.span, value ? "true" : "false", from: offset)
        isAtStart = false
        return value
    }

    /// Passes over a `null` and answers true; leaves anything else where it is.
    package mutating func skipNull() throws(JSONError) -> Bool {
        skipWhitespace()
        guard offset < text.count else { throw .truncated(offset) }
        guard text[offset] == UInt8(ascii: "n") else { return false }
        offset = try JSONLexer.literal(text.span, "null", from: offset)
        isAtStart = false
        return true
    }

    func stringToken() throws(JSONError) -> JSONLexer.StringToken {
        guard offset < text.count else { throw .truncated(offset) }
        guard text[offset] == UInt8(ascii: "\"") else { throw .syntax(offset) }
        return try JSONLexer.string(text.span, from: offset)
    }
}
