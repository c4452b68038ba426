/// Why something failed, by the provider's own result code and message.
package struct Reason: Sendable, Hashable {
    /// The provider's code, verbatim; empty when there is only a message.
    package let code: String
    /// The provider's words for people; empty when there are none.
    package let message: String

    /// Longest code and message that are kept, in bytes of UTF-8.
    package static let codeBytesMax = 64
    package static let messageBytesMax = 256

    /// Nil when the provider says neither. What is longer than the limits is cut at a character.
    package init?(code: String?, message: String?) {
        let code = Self.cut(code ?? "", to: Self.codeBytesMax)
        let message = Self.cut(message ?? "", to: Self.messageBytesMax)
        guard !code.isEmpty || !message.isEmpty else { return nil }
        self.code = code
        self.message = message
    }

    private static func cut(_ text: String, to bytesMax: Int) -> String {
        guard text.utf8.count > bytesMax else { return text }
        var kept = text.unicodeScalars.prefix(bytesMax)
        while String(kept).utf8.count > bytesMax { kept.removeLast() }
        return String(kept)
    }

    /// One of two, whichever came first: the lesser by the bytes of its code, then its message.
    static func lesser(_ left: Reason?, _ right: Reason?) -> Reason? {
        guard let left else { return right }
        guard let right else { return left }
        let codes = utf8Order(left.code, right.code)
        if codes != 0 { return codes < 0 ? left : right }
        return utf8Order(left.message, right.message) <= 0 ? left : right
    }
}
