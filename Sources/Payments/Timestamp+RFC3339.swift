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
        let second = microseconds.flooringQuotient(by: 1_000_000)
        let fraction = microseconds - second * 1_000_000
        let day = second.flooringQuotient(by: 86_400)
        let secondOfDay = second - day * 86_400
        let date = CivilDate(daysSince1970: day)

        bytes.append(digits: date.year, width: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(digits: date.month, width: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.append(digits: date.day, width: 2)
        bytes.append(UInt8(ascii: "T"))
        bytes.append(digits: secondOfDay / 3_600, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(digits: secondOfDay / 60 % 60, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(digits: secondOfDay % 60, width: 2)
        if fraction != 0 {
            bytes.append(UInt8(ascii: "."))
            bytes.append(digits: fraction, width: 6)
        }
        bytes.append(UInt8(ascii: "Z"))
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

extension [UInt8] {
    /// Appends the last `width` decimal digits of a number that is not negative.
    fileprivate mutating func append(digits number: Int64, width: Int) {
        var divisor: Int64 = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}
