/// Percent-encoding of URI components (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// The bytes that `text` stands for, or nil when a `%` is not followed by two hexadecimal
    /// digits. A `+` stays a `+`: it means a space only in HTML forms, and in a Base64 signature it
    /// means itself.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let source = text.span
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count)
        var index = 0
        while let percent = source.firstOffset(of: UInt8(ascii: "%"), from: index) {
            guard percent + 2 < source.count, let high = Hex.value(of: source[percent + 1]),
                let low = Hex.value(of: source[percent + 2])
            else { return nil }
            append(source.extracting(index..<percent), to: &bytes)
            bytes.append(high << 4 | low)
            index = percent + 3
        }
        append(source.extracting(index..<source.count), to: &bytes)
        return bytes
    }

    private static func append(_ part: Span<UInt8>, to bytes: inout [UInt8]) {
        part.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    /// `bytes` with everything escaped but the unreserved characters (RFC 3986 section 2.3), in
    /// upper-case digits.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text = [UInt8]()
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            if isUnreserved(byte) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text.append(uppercaseDigit(byte >> 4))
                text.append(uppercaseDigit(byte & 15))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func uppercaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
