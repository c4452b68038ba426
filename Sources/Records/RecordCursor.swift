import Glibc
import Payments

/// Walks over the bytes of a record that `RecordEncoder` wrote, by exact expectation.
///
/// A method that fails leaves the cursor anywhere. The caller then gives up and lets the JSON
/// scanner read the record.
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

    /// As `text()`: where it is in the record.
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

/// The effect of a recorded event, behind `"effect":{"on":"`.
extension RecordCursor {
    /// The effect up to and past its closing brace; nil for anything unexpected.
    mutating func effect() -> Effect? {
        if take(#"attempt","status":""#) {
            guard let status = attemptStatus(), let amount = amount() else { return nil }
            return .attempt(status, amount.money)
        }
        if take(#"refund","id":""#) {
            guard let id = string(), let status = actionStatus(), let amount = amount() else {
                return nil
            }
            return .refund(id: id, status, amount.money)
        }
        if take(#"capture","id":""#) {
            guard let id = string(), let status = actionStatus(), let amount = amount() else {
                return nil
            }
            return .capture(id: id, status, amount.money)
        }
        // Disputes are rare enough for the general decoder.
        return nil
    }

    private mutating func attemptStatus() -> AttemptStatus? {
        if take(#"paid""#) { return .paid }
        if take(#"pending""#) { return .pending }
        if take(#"authorized""#) { return .authorized }
        if take(#"failed""#) { return .failed }
        if take(#"canceled""#) { return .canceled }
        return take(#"expired""#) ? .expired : nil
    }

    private mutating func actionStatus() -> ActionStatus? {
        guard take(#","status":""#) else { return nil }
        if take(#"succeeded""#) { return .succeeded }
        if take(#"pending""#) { return .pending }
        return take(#"failed""#) ? .failed : nil
    }

    /// The amount, if there is one, and the end of the effect.
    private mutating func amount() -> (money: Money?, Void)? {
        guard take(#","amount":{"minor":"#) else { return take("}") ? (nil, ()) : nil }
        guard let minor = integer(), take(#","currency":""#), let code = text(),
            let currency = Currency(utf8: code.bindMemory(to: UInt8.self).span), take("}}")
        else { return nil }
        return (Money(minor: minor, currency: currency), ())
    }
}
