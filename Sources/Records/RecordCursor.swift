import Glibc
import Payments

/// Walks over the bytes of a record that `RecordEncoder` wrote, by exact expectation.
///
/// Every method leaves the cursor anywhere when it fails: whoever meets something unexpected gives
/// up and lets the JSON scanner read the record.
package struct RecordCursor {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// The memory must stay valid and unchanged while the cursor is used.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Passes over `literal`, or says that something else comes.
    package mutating func take(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard bytes.count - offset >= count, let base = bytes.baseAddress,
            memcmp(base + offset, literal.utf8Start, count) == 0
        else { return false }
        offset += count
        return true
    }

    /// The content of a string without escapes, up to and past its closing quote.
    package mutating func text() -> UnsafeRawBufferPointer? {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        guard let base = rest.baseAddress, let quote = memchr(base, 0x22, rest.count) else {
            return nil
        }
        let count = UnsafeRawPointer(quote) - base
        guard memchr(base, 0x5c, count) == nil else { return nil }
        offset += count + 1
        return UnsafeRawBufferPointer(rebasing: rest[..<count])
    }

    /// As `text()`: where it stands in the record.
    package mutating func place() -> Range<Int>? {
        text().map { offset - 1 - $0.count..<offset - 1 }
    }

    /// As `text()`, as a moment.
    package mutating func moment() -> Timestamp? {
        text().flatMap { Timestamp(iso8601: $0.assumingMemoryBound(to: UInt8.self).span) }
    }

    /// Passes over the rest of an object, up to and past its closing brace.
    package mutating func skipObject() -> Bool {
        var depth = 1
        while depth > 0 {
            guard offset < bytes.count else { return false }
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): guard text() != nil else { return false }
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return true
    }

    /// As `text()`, as a string.
    mutating func string() -> String? {
        text().map { String(decoding: $0, as: UTF8.self) }
    }

    /// An integer of at most 18 digits.
    package mutating func integer() -> Int64? {
        let isNegative = offset < bytes.count && bytes[offset] == 0x2d
        if isNegative { offset += 1 }
        let start = offset
        var value: Int64 = 0
        while offset < bytes.count, bytes[offset] >= 0x30, bytes[offset] <= 0x39 {
            guard offset - start < 18 else { return nil }
            value = value * 10 + Int64(bytes[offset] - 0x30)
            offset += 1
        }
        return offset == start ? nil : isNegative ? -value : value
    }
}
