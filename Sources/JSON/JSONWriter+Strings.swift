import Bytes

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

    /// UTF-8 text for a log: characters that steer a terminal or a viewer are written as `\u009b`,
    /// which reads back as the same text.
    package mutating func string(visible value: Span<UInt8>) {
        guard value.mayHoldSteering else { return quoted(value, isLatin1: false) }
        let text = value.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        let start = bytes.count
        string(text)
        let written = String(decoding: bytes[start...], as: UTF8.self)
        bytes.removeLast(bytes.count - start)
        bytes += written.escapingSteeringBeyondASCII.utf8
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

    /// Whether the bytes are well-formed UTF-8 (RFC 3629 §4).
    package static func isValidUTF8(_ bytes: Span<UInt8>) -> Bool { UTF8Sequence.isValid(bytes) }

    private mutating func quoted(_ value: Span<UInt8>, isLatin1: Bool) {
        comma()
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        while start < value.count {
            let end = min(start + Self.chunkBytes, value.count)
            let chunk = value.extracting(start..<end)
            // At worst six bytes for one; a whole word may be stored where one byte is kept.
            append(atMost: chunk.count * 6 + 8) {
                JSONEscaper.write(chunk, isLatin1: isLatin1, to: $0)
            }
            start = end
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes text without its quotes to `target`, which must have room for six times its bytes and
    /// eight more; says where it ends.
    package static func escape(
        utf8 value: Span<UInt8>, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        JSONEscaper.write(value, isLatin1: false, to: target)
    }

    /// As `escape(utf8:to:)`; each byte becomes the code point of the same number.
    package static func escape(
        latin1 value: Span<UInt8>, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        JSONEscaper.write(value, isLatin1: true, to: target)
    }
}
