extension JSONLexer {
    /// The value of an integer token, nil when it does not fit in 64 bits.
    static func int64(_ source: Span<UInt8>, _ token: Range<Int>) -> Int64? {
        let isNegative = source[token.lowerBound] == UInt8(ascii: "-")
        // Counted downward, because the negative range reaches one further.
        var value: Int64 = 0
        for offset in token.lowerBound + (isNegative ? 1 : 0)..<token.upperBound {
            let digit = Int64(source[offset] &- UInt8(ascii: "0"))
            let (product, hasOverflowed) = value.multipliedReportingOverflow(by: 10)
            let (difference, hasUnderflowed) = product.subtractingReportingOverflow(digit)
            if hasOverflowed || hasUnderflowed { return nil }
            value = difference
        }
        guard !isNegative else { return value }
        return value == Int64.min ? nil : -value
    }
}
