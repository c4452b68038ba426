/// Longest id, reference or status accepted in a notification or an expectation, in bytes of UTF-8.
/// The providers document at most 64 characters, which take up to four bytes each.
package let wordBytesMax = 256

extension ArraySlice<UInt8> {
    /// Whether these UTF-8 bytes are a valid id, reference or status: 1 to ``wordBytesMax`` bytes
    /// without control characters.
    package var isWord: Bool { span.isWord }
}

extension String {
    /// Whether this text is a valid id, reference or status.
    package var isWord: Bool { utf8.span.isWord }
}

extension Span<UInt8> {
    /// Whether these UTF-8 bytes are a valid id, reference or status: 1 to ``wordBytesMax`` bytes
    /// without control characters.
    package var isWord: Bool {
        guard !isEmpty && count <= wordBytesMax else { return false }
        // Without an early exit the loop is vectorised and checks sixteen bytes at a time.
        var hasControl = false
        for offset in indices {
            hasControl = hasControl || self[offset] < 0x20 || self[offset] == 0x7f
        }
        return !hasControl
    }
}
