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
        let length = length(of: bytes.count)
        return unsafe String(unsafeUninitializedCapacity: length) { output in
            unsafe bytes.withUnsafeBytes {
                unsafe encode($0, to: UnsafeMutableRawBufferPointer(output))
            }
            return length
        }
    }

    /// Appends `bytes` in Base64, as `encode(_:)` returns it.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        let length = length(of: bytes.count)
        text.append(addingCapacity: length) { output in
            unsafe output.withUnsafeMutableBufferPointer { room, written in
                let rest = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(room)[written...])
                unsafe bytes.withUnsafeBytes { unsafe encode($0, to: rest) }
                written += length
            }
        }
    }

    /// Digits of this many bytes, with the padding.
    private static func length(of byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

    /// Writes the digits, two at a time.
    private static func encode(
        _ bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer
    ) {
        var target = 0
        func put(_ pair: UInt16) {
            unsafe output.storeBytes(of: pair.littleEndian, toByteOffset: target, as: UInt16.self)
            target += 2
        }
        unsafe pairs.withUnsafeBufferPointer { pairs in
            let whole = bytes.count - bytes.count % 3
            for source in stride(from: 0, to: whole, by: 3) {
                let group =
                    unsafe Int(bytes[source]) << 16 | Int(bytes[source + 1]) << 8
                    | Int(bytes[source + 2])
                unsafe put(pairs[group >> 12])
                unsafe put(pairs[group & 4095])
            }
            let pads = UInt16(pad)
            switch bytes.count - whole {
            case 1:
                unsafe put(pairs[Int(bytes[whole]) << 4])
                put(pads << 8 | pads)
            case 2:
                let group = unsafe Int(bytes[whole]) << 16 | Int(bytes[whole + 1]) << 8
                unsafe put(pairs[group >> 12])
                unsafe put(pairs[group & 4095] & 0xff | pads << 8)
            default: break
            }
        }
    }

    /// The two digits of each number of twelve bits, the first in the lower byte.
    private static let pairs: [UInt16] = (0..<4096).map {
        UInt16(alphabet[$0 >> 6]) | UInt16(alphabet[$0 & 63]) << 8
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
