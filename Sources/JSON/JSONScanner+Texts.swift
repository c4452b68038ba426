/// Strings that stay where they are in the text until their value is wanted.
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
