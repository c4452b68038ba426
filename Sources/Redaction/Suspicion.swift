/// A cheap look at the bytes of a request: whether they may hold a card number or a security code.
/// Every request is asked, and nearly all are cleared by it.
enum Suspicion {
    /// False only if `text`, read as JSON, as a form or as plain text, has neither thirteen digits
    /// in a row, with single separators between them, nor a name such as `cvv`.
    static func isRaised(by text: Span<UInt8>) -> Bool {
        (hasLongRun(text) || hasNameOrEscape(text)) && isRaised(byEachByteOf: text)
    }

    /// The same, without a shortcut.
    static func isRaised(byEachByteOf text: Span<UInt8>) -> Bool {
        var digits = 0
        var isAfterSeparator = false
        var offset = 0
        while offset < text.count {
            let byte = text[offset]
            if byte.isDigit {
                digits += 1
                isAfterSeparator = false
                if digits == CardNumber.lengths.lowerBound { return true }
            } else {
                if digits > 0 {
                    let length = isAfterSeparator ? 0 : separatorLength(text, at: offset)
                    if length == 0 { digits = 0 }
                    isAfterSeparator = length > 0
                    offset += max(length - 1, 0)
                }
                if hasEscapedDigit(text, at: offset) || endsSecurityCode(text, at: offset) {
                    return true
                }
            }
            offset += 1
        }
        return false
    }

    /// Whether there are thirteen digits and bytes of separators in a row.
    private static func hasLongRun(_ text: Span<UInt8>) -> Bool {
        let length = CardNumber.lengths.lowerBound
        // So long a run has a byte at one of these places, each `length` after the last.
        var place = length - 1
        while place < text.count {
            var end = place
            if isOfRun(text[place]) {
                var start = place
                while start > 0, isOfRun(text[start - 1]) { start -= 1 }
                repeat { end += 1 } while end < text.count && isOfRun(text[end])
                if end - start >= length { return true }
            }
            place = end + length
        }
        return false
    }

    /// Whether the byte is a digit or may be part of a separator.
    private static func isOfRun(_ byte: UInt8) -> Bool {
        byte.isDigit || CardNumber.isSeparator(byte) || byte == UInt8(ascii: "%")
            || byte | 0x20 == UInt8(ascii: "d")
    }

    /// Whether there is a name such as `cvv`, or the beginning of an escaped digit.
    private static func hasNameOrEscape(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 3 else { return false }
        // 1 for true, and no early exit: in random text, branches are predicted wrong.
        func one(_ byte: UInt8, _ letter: Unicode.Scalar) -> UInt8 {
            byte == UInt8(ascii: letter) ? 1 : 0
        }
        return text.withUnsafeBufferPointer { bytes in
            var found: UInt8 = 0
            for place in 0..<(bytes.count - 2) {
                let (exact, next) = (bytes[place], bytes[place + 1])
                let (first, second) = (exact | 0x20, next | 0x20)
                let third = bytes[place + 2] | 0x20
                let card =
                    one(first, "c") & one(second, "v")
                    & (one(third, "v") | one(third, "c") | one(third, "n"))
                let other =
                    one(first, "c") & one(second, "s") & one(third, "c")
                    | one(first, "e") & one(second, "c") & one(third, "u")
                let escape = one(exact, "%") & one(next, "3") | one(exact, "\\") & one(next, "u")
                found |= card | other | escape
            }
            return found != 0
        }
    }

    /// Bytes of a separator at `offset`, which a form writes as `%20` or `%2D`; 0 for none.
    private static func separatorLength(_ text: Span<UInt8>, at offset: Int) -> Int {
        if CardNumber.isSeparator(text[offset]) { return 1 }
        guard text[offset] == UInt8(ascii: "%"), offset + 2 < text.count,
            text[offset + 1] == UInt8(ascii: "2")
        else { return 0 }
        let isSeparator =
            text[offset + 2] == UInt8(ascii: "0") || text[offset + 2] | 0x20 == UInt8(ascii: "d")
        return isSeparator ? 3 : 0
    }

    /// Whether a digit is written as `\u0034` in JSON or as `%34` in a form.
    private static func hasEscapedDigit(_ text: Span<UInt8>, at offset: Int) -> Bool {
        if text[offset] == UInt8(ascii: "%") {
            return offset + 2 < text.count && text[offset + 1] == UInt8(ascii: "3")
                && text[offset + 2].isDigit
        }
        guard text[offset] == UInt8(ascii: "\\"), offset + 5 < text.count else { return false }
        return text[offset + 1] == UInt8(ascii: "u") && text[offset + 2] == UInt8(ascii: "0")
            && text[offset + 3] == UInt8(ascii: "0") && text[offset + 4] == UInt8(ascii: "3")
    }

    /// Whether `cvv`, `cvc`, `cvn`, `csc` or the `ecu` of `security` ends at `offset`.
    private static func endsSecurityCode(_ text: Span<UInt8>, at offset: Int) -> Bool {
        guard offset >= 2 else { return false }
        let last = text[offset] | 0x20
        let middle = text[offset - 1] | 0x20
        switch (text[offset - 2] | 0x20, middle) {
        case (UInt8(ascii: "c"), UInt8(ascii: "v")):
            return last == UInt8(ascii: "v") || last == UInt8(ascii: "c")
                || last == UInt8(ascii: "n")
        case (UInt8(ascii: "c"), UInt8(ascii: "s")): return last == UInt8(ascii: "c")
        case (UInt8(ascii: "e"), UInt8(ascii: "c")): return last == UInt8(ascii: "u")
        default: return false
        }
    }
}
