import Bytes

/// RFC 3339 text in UTC, the only form that records and answers use.
extension Timestamp {
    /// `2026-11-21T07:00:00.123456Z`, and without the fraction when it is zero:
    /// `2026-11-21T07:00:00Z`.
    package var rfc3339: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(27)
        appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text of `rfc3339` to `bytes`, without making a string.
    package func appendRFC3339(to bytes: inout [UInt8]) {
        let text = rfc3339Text
        text.bytes.span.extracting(first: text.count).withUnsafeBufferPointer {
            bytes.append(contentsOf: $0)
        }
    }

    /// The text of `rfc3339`: the first `count` of `bytes`.
    package var rfc3339Text: (bytes: InlineArray<27, UInt8>, count: Int) {
        let second = microseconds.flooringQuotient(by: 1_000_000)
        let fraction = Int(microseconds - second * 1_000_000)
        let day = second.flooringQuotient(by: 86_400)
        let secondOfDay = Int(second - day * 86_400)
        let date = CivilDate(daysSince1970: day)

        var text = InlineArray<27, UInt8>(repeating: UInt8(ascii: ":"))
        text.put(Int(date.year) / 100, at: 0)
        text.put(Int(date.year) % 100, at: 2)
        text[4] = UInt8(ascii: "-")
        text.put(Int(date.month), at: 5)
        text[7] = UInt8(ascii: "-")
        text.put(Int(date.day), at: 8)
        text[10] = UInt8(ascii: "T")
        text.put(secondOfDay / 3_600, at: 11)
        text.put(secondOfDay / 60 % 60, at: 14)
        text.put(secondOfDay % 60, at: 17)
        guard fraction != 0 else {
            text[19] = UInt8(ascii: "Z")
            return (text, 20)
        }
        text[19] = UInt8(ascii: ".")
        text.put(fraction / 10_000, at: 20)
        text.put(fraction / 100 % 100, at: 22)
        text.put(fraction % 100, at: 24)
        text[26] = UInt8(ascii: "Z")
        return (text, 27)
    }
}

extension Timestamp: CustomStringConvertible {
    package var description: String { rfc3339 }
}

extension Int64 {
    /// The quotient rounded down, so that moments before 1970 fall into the right second and day.
    fileprivate func flooringQuotient(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : (self - divisor + 1) / divisor
    }
}

extension InlineArray<27, UInt8> {
    /// Puts a number below 100 as two digits.
    fileprivate mutating func put(_ number: Int, at index: Int) {
        self[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
        self[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
    }
}
