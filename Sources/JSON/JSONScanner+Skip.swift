extension JSONScanner {
    /// How deep a value that is passed over may nest: one bit of a word for each level.
    package static let skippedDepthMax = 64

    /// Passes over the value that comes next, whatever it is, and gives its place in the text.
    @discardableResult
    package mutating func skipValue() throws(JSONError) -> Range<Int> {
        skipWhitespace()
        let start = offset
        var levels = Levels()
        repeat {
            try skipToken(&levels)
        } while try !skipClosings(&levels)
        return start..<offset
    }

    /// Which of the open containers are objects; the innermost is the lowest bit.
    private struct Levels {
        var depth = 0
        var objects: UInt64 = 0

        var isObject: Bool { objects & 1 == 1 }
    }

    /// One scalar, or the start of containers up to a scalar or an empty container.
    private mutating func skipToken(_ levels: inout Levels) throws(JSONError) {
        while true {
            skipWhitespace()
            guard offset < text.count else { throw .truncated(offset) }
            switch text[offset] {
            case UInt8(ascii: "\""): return try skipString()
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                return offset = try JSONLexer.number(text.span, from: offset).end
            case UInt8(ascii: "t"):
                return offset = try JSONLexer.literal(text.span, "true", from: offset)
            case UInt8(ascii: "f"):
                return offset = try JSONLexer.literal(text.span, "false", from: offset)
            case UInt8(ascii: "n"):
                return offset = try JSONLexer.literal(text.span, "null", from: offset)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard levels.depth < Self.skippedDepthMax else { throw .depth(offset) }
                let isObject = text[offset] == UInt8(ascii: "{")
                levels.depth += 1
                levels.objects = levels.objects << 1 | (isObject ? 1 : 0)
                offset += 1
                skipWhitespace()
                guard offset < text.count else { throw .truncated(offset) }
                if text[offset] == UInt8(ascii: isObject ? "}" : "]") { return }
                if isObject { try skipKey() }
            default:
                throw JSONLexer.unexpected(text.span, at: offset)
            }
        }
    }

    /// True when the outermost value is complete, false when another value must follow.
    private mutating func skipClosings(_ levels: inout Levels) throws(JSONError) -> Bool {
        while levels.depth > 0 {
            skipWhitespace()
            guard offset < text.count else { throw .truncated(offset) }
            switch text[offset] {
            case UInt8(ascii: ","):
                offset += 1
                if levels.isObject { try skipKey() }
                return false
            case UInt8(ascii: "}") where levels.isObject,
                UInt8(ascii: "]") where !levels.isObject:
                offset += 1
                levels.depth -= 1
                levels.objects >>= 1
            default:
                throw .syntax(offset)
            }
        }
        return true
    }

    private mutating func skipKey() throws(JSONError) {
        skipWhitespace()
        guard offset < text.count else { throw .truncated(offset) }
        guard text[offset] == UInt8(ascii: "\"") else { throw .syntax(offset) }
        try skipString()
        skipWhitespace()
        guard offset < text.count else { throw .truncated(offset) }
        guard text[offset] == UInt8(ascii: ":") else { throw .syntax(offset) }
        offset += 1
    }

    /// From an opening quote past the closing one: looks for quotes and backslashes only.
    private mutating func skipString() throws(JSONError) {
        let source = text.span
        var offset = offset + 1
        while offset < source.count {
            if offset + 8 <= source.count {
                let step = ByteWord.offsetOfFirst(ByteWord(source, at: offset).quotes)
                offset += step
                if step == 8 { continue }
            }
            switch source[offset] {
            case UInt8(ascii: "\""):
                self.offset = offset + 1
                return
            case UInt8(ascii: "\\"): offset += 2
            default: offset += 1
            }
        }
        throw .truncated(source.count)
    }
}
