/// Reads LEB128 numbers off the front of some bytes.
struct VarintReader {
    /// What has not been read.
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next number; nil when the bytes end, or it has more than 64 bits.
    mutating func next() -> UInt64? {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64, let byte = rest.popFirst() {
            let bits = UInt64(byte & 0x7f)
            if shift == 63 && bits > 1 { return nil }
            number |= bits << shift
            if byte & 0x80 == 0 { return number }
            shift += 7
        }
        return nil
    }

    /// The next `count` bytes; nil when there are not so many.
    mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
        guard count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }

    /// A text of `count` bytes; nil when the bytes end, or are not UTF-8.
    mutating func text(_ count: UInt64) -> String? {
        take(count).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
