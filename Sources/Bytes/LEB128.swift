/// Unsigned LEB128: seven bits per byte, least significant first; the top bit is set on all but the
/// last byte.
package enum LEB128 {
    /// Appends the shortest form of `number`.
    @inlinable package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads the number at `position` and moves `position` after it. Nil if the bytes end, if the
    /// number has more than 64 bits, or if it is not in its shortest form: every number has exactly
    /// one encoding.
    @inlinable package static func read(
        _ bytes: ArraySlice<UInt8>, at position: inout Int
    ) -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64, position < bytes.endIndex {
            let byte = bytes[position]
            let bits = UInt64(byte & 0x7f)
            position += 1
            if shift == 63 && bits > 1 || byte == 0 && shift > 0 { return nil }
            number |= bits << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
        }
        return nil
    }
}

/// Reads LEB128 numbers, and bytes of a given length, from the start of some bytes.
package struct LEB128Reader {
    /// The bytes that have not been read.
    package private(set) var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next number; nil if there is none in its shortest form.
    package mutating func next() -> UInt64? {
        var position = rest.startIndex
        guard let number = LEB128.read(rest, at: &position) else { return nil }
        rest = rest[position...]
        return number
    }

    /// The next `count` bytes; nil if there are fewer.
    package mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    /// The next `count` bytes as text; nil if there are fewer, or if they are not UTF-8.
    package mutating func text(_ count: UInt64) -> String? {
        take(count).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
