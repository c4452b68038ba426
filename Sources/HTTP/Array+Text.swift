extension [UInt8] {
    /// Appends a literal.
    mutating func append(_ text: StaticString) {
        unsafe append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a non-negative number in decimal.
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
