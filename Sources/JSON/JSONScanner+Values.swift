extension JSONScanner {
    /// The string that comes next, decoded.
    package mutating func string() throws(JSONError) -> String {
        let token = try stringToken()
        guard token.hasEscapes else {
            let content = UnsafeBufferPointer(rebasing: text[token.content])
            return String(decoding: content, as: UTF8.self)
        }
        return String(decoding: unescaped(token), as: UTF8.self)
    }

    /// The string that comes next, as UTF-8 that is borrowed from the text where nothing in it is
    /// escaped: no allocation for what is only hashed or compared.
    package mutating func withUTF8<Result>(
        _ body: (Span<UInt8>) -> Result
    ) throws(JSONError) -> Result {
        let token = try stringToken()
        return token.hasEscapes
            ? body(unescaped(token).span) : body(text.span.extracting(token.content))
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
        return value
    }

    /// The boolean that comes next.
    package mutating func boolean() throws(JSONError) -> Bool {
        skipWhitespace()
        guard offset < text.count else { throw .truncated(offset) }
        let value = text[offset] == UInt8(ascii: "t")
        offset = try JSONLexer.literal(text.span, value ? "true" : "false", from: offset)
        return value
    }

    /// Passes over a `null` and answers true; leaves anything else where it is.
    package mutating func skipNull() throws(JSONError) -> Bool {
        skipWhitespace()
        guard offset < text.count else { throw .truncated(offset) }
        guard text[offset] == UInt8(ascii: "n") else { return false }
        offset = try JSONLexer.literal(text.span, "null", from: offset)
        return true
    }

    mutating func stringToken() throws(JSONError) -> JSONLexer.StringToken {
        skipWhitespace()
        guard offset < text.count else { throw .truncated(offset) }
        guard text[offset] == UInt8(ascii: "\"") else { throw .syntax(offset) }
        let token = try JSONLexer.string(text.span, from: offset)
        offset = token.end
        return token
    }

    private func unescaped(_ token: JSONLexer.StringToken) -> [UInt8] {
        var output: [UInt8] = []
        JSONText.appendUnescaped(text.span, token.content, to: &output)
        return output
    }
}
