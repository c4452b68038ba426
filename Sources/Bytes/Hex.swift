/// Base 16 (RFC 4648 section 8).
package enum Hex {
    /// The bytes that `text` encodes in hexadecimal digits of either case, or nil if it has an odd
    /// length or another character.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        let digits = text.span
        let values = values.span
        // Every digit is below 16, so a higher bit of the union reveals any other character.
        var union: UInt8 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: digits.count / 2) {
            output, written in
            for index in 0..<(digits.count / 2) {
                let high = values[Int(digits[2 * index])]
                let low = values[Int(digits[2 * index + 1])]
                union |= high | low
                unsafe output[index] = high << 4 | low
            }
            written = digits.count / 2
        }
        return union < 16 ? bytes : nil
    }

    /// The value of each byte as a digit of either case; 16 or more if it is not a digit.
    private static let values: [UInt8] = (UInt8.min...UInt8.max).map { value(of: $0) ?? 0xff }

    /// The bytes that `text` encodes; see `decode(_:)` for bytes.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8)[...])
    }

    /// `bytes` in lower-case digits.
    package static func encode(_ bytes: [UInt8]) -> String {
        unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { unsafe write(bytes, to: $0) }
    }

    /// The same as `encode`, as bytes.
    package static func digits(of bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: bytes.count * 2) { output, written in
            written = unsafe write(bytes, to: output)
        }
    }

    private static func write(
        _ bytes: [UInt8], to output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        for (index, byte) in bytes.enumerated() {
            unsafe output[2 * index] = lowercaseDigit(byte >> 4)
            unsafe output[2 * index + 1] = lowercaseDigit(byte & 15)
        }
        return bytes.count * 2
    }

    /// The value of a hexadecimal digit of either case.
    @inline(__always)
    static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    @inline(__always)
    private static func lowercaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
