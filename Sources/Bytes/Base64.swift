/// Base64 with the standard alphabet (RFC 4648 section 4), in its one canonical form.
package enum Base64 {
    /// The bytes that `text` encodes, or nil unless it is canonical: padded, without line breaks or
    /// other characters, and with zeros in the unused bits of the last digit (RFC 4648 sections
    /// 3.2, 3.3 and 3.5). No two texts decode to the same bytes, so a signature has only one
    /// spelling.
    package static func decode(strict text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        if text.isEmpty { return [] }
        let padding = paddingLength(of: text)
        let byteCount = text.count / 4 * 3 - padding
        var isValid = true
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { output, written in
            unsafe text.withUnsafeBufferPointer { text in
                unsafe values.withUnsafeBufferPointer { values in
                    isValid = unsafe decode(text, padding: padding, values: values, into: output)
                }
            }
            written = isValid ? byteCount : 0
        }
        return isValid ? bytes : nil
    }

    /// The bytes that a key's text encodes, or nil if it contains another character. Padding and
    /// the unused bits of the last digit do not matter. For keys that people and other programs
    /// write, never for signatures.
    package static func decode(key text: ArraySlice<UInt8>) -> [UInt8]? {
        var digits = text
        while text.count - digits.count < 2, digits.last == pad { digits.removeLast() }
        let missing = (4 - digits.count % 4) % 4
        guard missing < 3 else { return nil }
        if missing > 0, let last = digits.last {
            let value = values[Int(last)]
            guard value < 64 else { return nil }
            digits[digits.endIndex - 1] =
                alphabet[Int(missing == 1 ? value & ~0b11 : value & ~0b1111)]
        }
        return decode(strict: digits + [UInt8](repeating: pad, count: missing))
    }

    /// `bytes` in Base64, padded, on one line.
    package static func encode(_ bytes: [UInt8]) -> String {
        let length = (bytes.count + 2) / 3 * 4
        return unsafe String(unsafeUninitializedCapacity: length) { output in
            var source = 0
            var target = 0
            while source < bytes.count {
                let second = source + 1 < bytes.count ? bytes[source + 1] : 0
                let third = source + 2 < bytes.count ? bytes[source + 2] : 0
                let group = UInt32(bytes[source]) << 16 | UInt32(second) << 8 | UInt32(third)
                for position in 0..<4 {
                    unsafe output[target + position] =
                        alphabet[Int(group >> (18 - 6 * position)) & 63]
                }
                source += 3
                target += 4
            }
            let padding = (3 - bytes.count % 3) % 3
            for position in 0..<padding { unsafe output[length - 1 - position] = pad }
            return length
        }
    }

    private static let pad = UInt8(ascii: "=")
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The value of each byte as a digit; 64 or more if it is not a digit.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    private static func paddingLength(of text: ArraySlice<UInt8>) -> Int {
        guard text[text.endIndex - 1] == pad else { return 0 }
        return text[text.endIndex - 2] == pad ? 2 : 1
    }

    /// Decodes whole groups, the last of which has `padding` pad characters. Returns false if they
    /// are not canonical.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, padding: Int, values: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let fullGroups = padding == 0 ? text.count / 4 : text.count / 4 - 1
        // Every digit is below 64, so bits 6 and 7 of the union reveal any other character,
        // including a pad character in the middle.
        var union: UInt8 = 0
        for group in 0..<fullGroups {
            let a = unsafe values[Int(text[4 * group])]
            let b = unsafe values[Int(text[4 * group + 1])]
            let c = unsafe values[Int(text[4 * group + 2])]
            let d = unsafe values[Int(text[4 * group + 3])]
            union |= a | b | c | d
            unsafe output[3 * group] = a << 2 | b >> 4
            unsafe output[3 * group + 1] = b << 4 | c >> 2
            unsafe output[3 * group + 2] = c << 6 | d
        }
        guard padding > 0 else { return union < 64 }
        let a = unsafe values[Int(text[4 * fullGroups])]
        let b = unsafe values[Int(text[4 * fullGroups + 1])]
        let c = unsafe padding == 1 ? values[Int(text[4 * fullGroups + 2])] : 0
        union |= a | b | c
        unsafe output[3 * fullGroups] = a << 2 | b >> 4
        if padding == 1 { unsafe output[3 * fullGroups + 1] = b << 4 | c >> 2 }
        let isTailZero = padding == 1 ? c & 0b11 == 0 : b & 0b1111 == 0
        return union < 64 && isTailZero
    }
}
