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
