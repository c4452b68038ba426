extension [UInt8] {
    /// Appends a literal.
    mutating func append(_ text: StaticString) {
        append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a number of at least 0 in decimal.
    mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(truncatingIfNeeded: number % 10) &+ 0x30)
    }

    /// Appends a number in decimal with leading zeros up to `width`.
    mutating func append(decimal number: Int, width: Int) {
        if width > 1 { append(decimal: number / 10, width: width - 1) }
        append(UInt8(truncatingIfNeeded: number % 10) &+ 0x30)
    }
}
