import JSON

extension JSONValue {
    /// The text of an id, a status or another word: a string that is not empty, not longer than
    /// ``wordBytesMax`` and free of control characters. Nil for anything else, so that a field of
    /// the wrong type is as good as none.
    var word: String? { string { $0.isWord } }

    /// ``word``, or the literal text of a number: for systems that write some ids as numbers.
    var wordOrNumber: String? {
        guard kind == .number else { return word }
        guard let lexeme, lexeme.utf8.count <= wordBytesMax else { return nil }
        return lexeme
    }
}

/// Longest id or status that is read, in bytes. The pages speak of 64 characters at most; four
/// bytes each in UTF-8.
let wordBytesMax = 256

extension ArraySlice<UInt8> {
    /// Whether these UTF-8 bytes can be an id or a status.
    var isWord: Bool { span.isWord }
}

extension String {
    /// Whether this text can be an id or a status.
    var isWord: Bool { utf8.span.isWord }
}

extension Span<UInt8> {
    /// Whether these UTF-8 bytes can be an id or a status.
    var isWord: Bool {
        guard !isEmpty && count <= wordBytesMax else { return false }
        // Without a way out of the loop sixteen bytes are looked at together.
        var hasControl = false
        for offset in indices {
            hasControl = hasControl || self[offset] < 0x20 || self[offset] == 0x7f
        }
        return !hasControl
    }
}
