/// Longest id, reference or status that is read, in bytes of UTF-8: of a notification and of an
/// expectation alike. The providers' pages speak of 64 characters at most; four bytes each.
package let wordBytesMax = 256

extension ArraySlice<UInt8> {
    /// Whether these UTF-8 bytes can be an id, a reference or a status.
    package var isWord: Bool { span.isWord }
}

extension String {
    /// Whether this text can be an id, a reference or a status.
    package var isWord: Bool { utf8.span.isWord }
}

extension Span<UInt8> {
    /// Whether these UTF-8 bytes can be an id, a reference or a status.
    package var isWord: Bool {
        guard !isEmpty && count <= wordBytesMax else { return false }
        // Without a way out of the loop sixteen bytes are looked at together.
        var hasControl = false
        for offset in indices {
            hasControl = hasControl || self[offset] < 0x20 || self[offset] == 0x7f
        }
        return !hasControl
    }
}
