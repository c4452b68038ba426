/// Percent-encoding of URI components (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// The bytes that `text` encodes, or nil if a `%` is not followed by two hexadecimal digits. A
    /// `+` is kept: it means a space only in HTML forms, and itself in a Base64 signature.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? { decode(text.span) }

    /// The same for a span.
    package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        var isValid = true
        // Decoded text is never longer than the text.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: text.count) { output, written in
            var index = 0
            while let percent = text.firstOffset(of: UInt8(ascii: "%"), from: index) {
                guard percent + 2 < text.count, let high = Hex.value(of: text[percent + 1]),
                    let low = Hex.value(of: text[percent + 2])
                else {
                    isValid = false
                    return
                }
                unsafe copy(text.extracting(index..<percent), to: output, &written)
                unsafe output[written] = high << 4 | low
                written += 1
                index = percent + 3
            }
            unsafe copy(text.extracting(index..<text.count), to: output, &written)
        }
        return isValid ? bytes : nil
    }

    private static func copy(
        _ part: Span<UInt8>, to output: UnsafeMutableBufferPointer<UInt8>, _ written: inout Int
    ) {
        unsafe part.withUnsafeBufferPointer { part in
            written = unsafe output[written...].update(fromContentsOf: part)
        }
    }

    /// `bytes` with everything but the unreserved characters escaped (RFC 3986 section 2.3), in
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
