/// Pulls values out of a JSON text in the order in which they stand, without a tape.
///
/// For texts of our own making that are read in great numbers, such as journal records: what is
/// not asked for is passed over quickly. Malformed text is refused, with two differences to
/// `JSONDocument`: duplicate keys are not looked for, and what is passed over is not checked for
/// its UTF-8, control characters and escapes. Whoever has all that is wanted may simply stop.
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
package struct JSONScanner {
    /// The text. Whoever makes the scanner keeps this memory valid and unchanged meanwhile; Swift
    /// 6 cannot yet express a stored `Span` without an experimental feature.
    let text: UnsafeBufferPointer<UInt8>
    /// Where the next token, or white space before it, starts: bytes from the start of the text.
    package internal(set) var offset = 0
    /// A container was opened and nothing of it read, so no comma may come.
    private var isAtStart = true

    /// Starts at the beginning of `text`, which must stay valid while the scanner is used.
    package init(_ text: UnsafeRawBufferPointer) {
        self.text = text.assumingMemoryBound(to: UInt8.self)
    }

    /// Enters an object, which must come next.
    package mutating func beginObject() throws(JSONError) { try enter(UInt8(ascii: "{")) }

    /// Enters an array, which must come next.
    package mutating func beginArray() throws(JSONError) { try enter(UInt8(ascii: "[")) }

    /// Reads the next member's name, up to its value; nil when the object ended.
    package mutating func nextKey() throws(JSONError) -> String? {
        try nextName().map { string($0) }
    }

    /// Whether another element comes; false when the array ended.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try advance(closing: UInt8(ascii: "]"))
    }

    /// Nothing but white space may follow.
    package mutating func end() throws(JSONError) {
        skipWhitespace()
        guard offset == text.count else { throw .trailingContent(offset) }
    }

    /// A copy of what is at a place that `skipValue` gave.
    package func bytes(in place: Range<Int>) -> [UInt8] { [UInt8](text[place]) }

    mutating func skipWhitespace() {
        offset = JSONLexer.skipWhitespace(text.span, from: offset)
    }

    mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard offset < text.count else { throw .truncated(offset) }
        guard text[offset] == byte else { throw .syntax(offset) }
        offset += 1
    }

    private mutating func enter(_ bracket: UInt8) throws(JSONError) {
        skipWhitespace()
        try expect(bracket)
        isAtStart = true
    }

    /// Past the comma, or past the closing bracket: then false.
    mutating func advance(closing bracket: UInt8) throws(JSONError) -> Bool {
        skipWhitespace()
        guard offset < text.count else { throw .truncated(offset) }
        if text[offset] == bracket {
            offset += 1
            isAtStart = false
            return false
        }
        if !isAtStart { try expect(UInt8(ascii: ",")) }
        isAtStart = false
        skipWhitespace()
        return true
    }
}
