/// Reads values out of a JSON text in the order of the text, without building a tape.
///
/// For texts that ipnd itself wrote and reads in large numbers, such as journal records: values
/// that are not needed are skipped quickly. Malformed text is refused, with two differences from
/// `JSONDocument`: duplicate keys are not detected, and skipped text is not checked for valid
/// UTF-8, control characters and escapes. A caller that has what it needs may stop at any point.
///
/// ```swift
/// try scanner.beginObject()
/// while let key = try scanner.nextKey() {
///     switch key {
///     case "sequence": sequence = try scanner.int64()
///     default: try scanner.skipValue()
///     }
/// }
/// try scanner.end()
/// ```
@safe package struct JSONScanner {
    /// The text. The caller keeps this memory valid and unchanged while the scanner is used; Swift
    /// 6 cannot store a `Span` without an experimental feature.
    private let text: UnsafeBufferPointer<UInt8>
    /// Byte offset in the text of the next token or the white space before it.
    package private(set) var offset = 0
    /// A container was opened and nothing in it was read yet, so no comma is expected.
    private var isAtStart = true

    /// The kinds of the open containers, one bit each: 1 for an object. The innermost is the lowest
    /// bit.
    private struct Levels {
        var depth = 0
        var objects: UInt64 = 0

        var isObject: Bool { objects & 1 == 1 }
    }

    /// Starts at the beginning of `text`, which must stay valid while the scanner is used.
    package init(_ text: UnsafeRawBufferPointer) {
        unsafe self.text = unsafe text.assumingMemoryBound(to: UInt8.self)
    }

    /// Enters an object, which must come next.
    package mutating func beginObject() throws(JSONError) { try enter(UInt8(ascii: "{")) }

    /// Enters an array, which must come next.
    package mutating func beginArray() throws(JSONError) { try enter(UInt8(ascii: "[")) }

    /// Reads the next member's name, up to its value; nil when the object ended.
    package mutating func nextKey() throws(JSONError) -> String? {
        guard try advance(closing: UInt8(ascii: "}")) else { return nil }
        let name = try string()
        skipWhitespace()
        try expect(UInt8(ascii: ":"))
        return name
    }

    /// Whether another element comes; false when the array ended.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try advance(closing: UInt8(ascii: "]"))
    }

    /// Checks that only white space follows.
    package mutating func end() throws(JSONError) {
        skipWhitespace()
        guard unsafe offset == text.count else { throw .trailingContent(offset) }
    }

    /// Copies the bytes of a range that `skipValue` returned.
    package func bytes(in place: Range<Int>) -> [UInt8] { unsafe [UInt8](text[place]) }

    /// Texts that ipnd wrote have no white space, so that one comparison is all.
    @inline(__always)
    private mutating func skipWhitespace() {
        if unsafe offset < text.count && text[offset] > 0x20 { return }
        offset = unsafe JSONLexer.skipWhitespace(text.span, from: offset)
    }

    @inline(__always)
    private mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard unsafe offset < text.count else { throw .truncated(offset) }
        guard unsafe text[offset] == byte else { throw .syntax(offset) }
        offset += 1
    }

    private mutating func enter(_ bracket: UInt8) throws(JSONError) {
        skipWhitespace()
        try expect(bracket)
        isAtStart = true
    }

    /// Moves past the comma, or past the closing bracket and returns false.
    private mutating func advance(closing bracket: UInt8) throws(JSONError) -> Bool {
        skipWhitespace()
        guard unsafe offset < text.count else { throw .truncated(offset) }
        if unsafe text[offset] == bracket {
            offset += 1
            isAtStart = false
            return false
        }
        if !isAtStart { try expect(UInt8(ascii: ",")) }
        isAtStart = false
        skipWhitespace()
        return true
    }

    // MARK: Values

    /// Reads and decodes the next string.
    package mutating func string() throws(JSONError) -> String {
        let token = try stringToken()
        guard token.hasEscapes else {
            let content = unsafe UnsafeBufferPointer(rebasing: text[token.content])
            return unsafe String(decoding: content, as: UTF8.self)
        }
        return String(decoding: unescaped(token), as: UTF8.self)
    }

    /// Calls `body` with the UTF-8 of the next string. The span is borrowed from the text if the
    /// string has no escapes, so hashing or comparing it allocates nothing.
    package mutating func withUTF8<Result>(
        _ body: (Span<UInt8>) -> Result
    ) throws(JSONError) -> Result {
        let token = try stringToken()
        return unsafe token.hasEscapes
            ? body(unescaped(token).span) : body(text.span.extracting(token.content))
    }

    /// Reads the next integer. A fraction, an exponent or a value beyond 64 bits is refused as
    /// `number`.
    package mutating func int64() throws(JSONError) -> Int64 {
        skipWhitespace()
        guard unsafe offset < text.count else { throw .truncated(offset) }
        switch unsafe text[offset] {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): break
        default: throw unsafe JSONLexer.unexpected(text.span, at: offset)
        }
        let token = unsafe try JSONLexer.number(text.span, from: offset)
        guard token.isInteger, let value = unsafe JSONLexer.int64(text.span, offset..<token.end)
        else {
            throw .number(offset)
        }
        offset = token.end
        return value
    }

    /// Reads the next boolean.
    package mutating func boolean() throws(JSONError) -> Bool {
        skipWhitespace()
        guard unsafe offset < text.count else { throw .truncated(offset) }
        let value = unsafe text[offset] == UInt8(ascii: "t")
        offset = unsafe try JSONLexer.literal(text.span, value ? "true" : "false", from: offset)
        return value
    }

    /// Skips a `null` and returns true; leaves any other value unread.
    package mutating func skipNull() throws(JSONError) -> Bool {
        skipWhitespace()
        guard unsafe offset < text.count else { throw .truncated(offset) }
        guard unsafe text[offset] == UInt8(ascii: "n") else { return false }
        offset = unsafe try JSONLexer.literal(text.span, "null", from: offset)
        return true
    }

    private mutating func stringToken() throws(JSONError) -> JSONLexer.StringToken {
        skipWhitespace()
        guard unsafe offset < text.count else { throw .truncated(offset) }
        guard unsafe text[offset] == UInt8(ascii: "\"") else { throw .syntax(offset) }
        let token = unsafe try JSONLexer.string(text.span, from: offset)
        offset = token.end
        return token
    }

    private func unescaped(_ token: JSONLexer.StringToken) -> [UInt8] {
        var output: [UInt8] = []
        unsafe JSONText.appendUnescaped(text.span, token.content, to: &output)
        return output
    }

    // MARK: Skipping

    /// Maximum nesting of a skipped value: one bit of a word per level.
    package static let skippedDepthMax = 64

    /// Skips the next value of any kind and returns its range in the text.
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

    /// Skips one scalar, or opens containers up to a scalar or an empty container.
    private mutating func skipToken(_ levels: inout Levels) throws(JSONError) {
        while true {
            skipWhitespace()
            guard unsafe offset < text.count else { throw .truncated(offset) }
            switch unsafe text[offset] {
            case UInt8(ascii: "\""): return try skipString()
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                return offset = unsafe try JSONLexer.number(text.span, from: offset).end
            case UInt8(ascii: "t"):
                return offset = unsafe try JSONLexer.literal(text.span, "true", from: offset)
            case UInt8(ascii: "f"):
                return offset = unsafe try JSONLexer.literal(text.span, "false", from: offset)
            case UInt8(ascii: "n"):
                return offset = unsafe try JSONLexer.literal(text.span, "null", from: offset)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard levels.depth < Self.skippedDepthMax else { throw .depth(offset) }
                let isObject = unsafe text[offset] == UInt8(ascii: "{")
                levels.depth += 1
                levels.objects = levels.objects << 1 | (isObject ? 1 : 0)
                offset += 1
                skipWhitespace()
                guard unsafe offset < text.count else { throw .truncated(offset) }
                if unsafe text[offset] == UInt8(ascii: isObject ? "}" : "]") { return }
                if isObject { try skipKey() }
            default:
                throw unsafe JSONLexer.unexpected(text.span, at: offset)
            }
        }
    }

    /// Returns true when the outermost value is complete, false when another value must follow.
    private mutating func skipClosings(_ levels: inout Levels) throws(JSONError) -> Bool {
        while levels.depth > 0 {
            skipWhitespace()
            guard unsafe offset < text.count else { throw .truncated(offset) }
            switch unsafe text[offset] {
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
        guard unsafe offset < text.count else { throw .truncated(offset) }
        guard unsafe text[offset] == UInt8(ascii: "\"") else { throw .syntax(offset) }
        try skipString()
        skipWhitespace()
        guard unsafe offset < text.count else { throw .truncated(offset) }
        guard unsafe text[offset] == UInt8(ascii: ":") else { throw .syntax(offset) }
        offset += 1
    }

    /// Skips from an opening quote past the closing one, looking only for quotes and backslashes.
    private mutating func skipString() throws(JSONError) {
        let source = unsafe text.span
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

/// Strings whose value is decoded only when it is used.
extension JSONScanner {
    /// The place of a string in a text of less than 2 GiB.
    package struct Text: Sendable, Equatable, BitwiseCopyable {
        private let start: UInt32
        /// Number of bytes between the quotes, shifted left by one; the lowest bit is set when
        /// there are escapes among them.
        private let extent: UInt32

        fileprivate init(_ token: JSONLexer.StringToken) {
            start = UInt32(token.content.lowerBound)
            extent = UInt32(token.content.count) << 1 | (token.hasEscapes ? 1 : 0)
        }

        /// The bytes between the quotes, as places in the text.
        package var place: Range<Int> { Int(start)..<Int(start) + Int(extent >> 1) }
        /// Whether the value differs from the bytes between the quotes.
        package var hasEscapes: Bool { extent & 1 != 0 }
    }

    /// Passes over the string that comes next and returns its place.
    package mutating func nextText() throws(JSONError) -> Text { Text(try stringToken()) }

    /// Returns the next member's name and moves to its value; nil when the object ended.
    package mutating func nextName() throws(JSONError) -> Text? {
        guard try advance(closing: UInt8(ascii: "}")) else { return nil }
        let name = Text(try stringToken())
        skipWhitespace()
        try expect(UInt8(ascii: ":"))
        return name
    }

    /// Returns the value of a string at a place that this scanner has returned.
    package func string(_ text: Text) -> String {
        let content = unsafe UnsafeBufferPointer(rebasing: self.text[text.place])
        guard text.hasEscapes else { return unsafe String(decoding: content, as: UTF8.self) }
        var output: [UInt8] = []
        unsafe JSONText.appendUnescaped(self.text.span, text.place, to: &output)
        return String(decoding: output, as: UTF8.self)
    }
}
