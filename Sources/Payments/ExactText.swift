/// An id or a reference, compared and hashed by its bytes.
///
/// `String` compares by canonical equivalence, so `é` as one code point equals `é` as two. To a
/// provider these are two ids, so the rules use no `Set`, dictionary or `==` over `String`.
package struct ExactText: Sendable, Hashable, Comparable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.isExactly(right.text)
    }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        utf8Order(left.text, right.text) < 0
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xff))
    }
}

extension String {
    /// Whether both strings have the same bytes.
    package func isExactly(_ other: String) -> Bool { utf8Order(self, other) == 0 }
}

extension Optional where Wrapped == String {
    /// Whether both have the same bytes, or both are nil.
    package func isExactly(_ other: String?) -> Bool {
        guard let mine = self, let other else { return self == nil && other == nil }
        return mine.isExactly(other)
    }
}

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
