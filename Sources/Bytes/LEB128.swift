/// Unsigned LEB128: seven bits a byte, least first, the top bit set on all but the last.
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

    /// The number that begins at `position`, which moves behind it. Nil when the bytes end, when it
    /// has more than 64 bits, and when it is not in its shortest form: every number is written in
    /// one way only.
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

/// Reads LEB128 numbers, and bytes of a given length, off the front of some bytes.
package struct LEB128Reader {
    /// What has not been read.
    package private(set) var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next number; nil when there is none in its shortest form.
    package mutating func next() -> UInt64? {
        var position = rest.startIndex
        guard let number = LEB128.read(rest, at: &position) else { return nil }
        rest = rest[position...]
        return number
    }

    /// The next `count` bytes; nil when there are fewer.
    package mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    /// A text of `count` bytes; nil when the bytes end, or are not UTF-8.
    package mutating func text(_ count: UInt64) -> String? {
        take(count).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
