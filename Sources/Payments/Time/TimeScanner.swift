import Bytes

/// Reads the parts of a date and time from the front of a text. Every method returns nil if the
/// part is missing.
struct TimeScanner {
    struct Time {
        var seconds: Int64
        var microseconds: Int64
        var isLeapSecond: Bool
    }

    /// The longest accepted form has 35 bytes: `yyyy-MM-ddTHH:mm:ss.nnnnnnnnn+hh:mm`.
    static let bytesMax = 40

    /// A copy of the text: 40 bytes on the stack are cheaper than string indices.
    private var bytes = InlineArray<40, UInt8>(repeating: 0)
    private var position = 0
    private var end = 0
    private let isLenient: Bool

    /// - Parameter isLenient: Also accept slashes in a date and a twelve-hour clock.
    init(_ text: Span<UInt8>, isLenient: Bool = false) {
        self.isLenient = isLenient
        guard text.count <= Self.bytesMax else { return }
        for index in text.indices { bytes[index] = text[index] }
        end = text.count
    }

    var isAtEnd: Bool { position == end }

    /// The next byte; zero at the end.
    private var next: UInt8 { position < end ? bytes[position] : 0 }

    /// Reads `yyyy-MM-dd`, or `yyyy/MM/dd` if lenient.
    mutating func date() -> CivilDate? {
        guard let year = number(digits: 4...4) else { return nil }
        let separator: Unicode.Scalar = isLenient && next == UInt8(ascii: "/") ? "/" : "-"
        guard skip(separator), let month = number(digits: 2...2), skip(separator),
            let day = number(digits: 2...2)
        else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// Reads the separator, `HH:mm:ss` and a fraction; if lenient also `h:mm:ss` followed by ` AM`
    /// or ` PM`.
    mutating func time() -> Time? {
        guard skip("T") || skip("t") || skip(" ") else { return nil }
        let start = position
        guard var hour = number(digits: 1...2), skip(":"), let minute = number(digits: 2...2),
            skip(":"), let second = number(digits: 2...2), let fraction = fraction()
        else { return nil }
        let isHourPadded = bytes[start + 1] != UInt8(ascii: ":")
        if let isAfternoon = halfOfDay() {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (isAfternoon ? 12 : 0)
        } else if !isHourPadded {
            return nil
        }
        guard hour <= 23, minute <= 59, second <= 60 else { return nil }
        return Time(
            seconds: hour * 3_600 + minute * 60 + second, microseconds: fraction,
            isLeapSecond: second == 60)
    }

    /// Reads `Z`, `+08:00`, `+0800` or `+08` and returns the seconds east of UTC.
    mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isWest = next == UInt8(ascii: "-")
        guard skip("+") || skip("-"), let hours = number(digits: 2...2) else { return nil }
        var minutes: Int64 = 0
        if !isAtEnd {
            _ = skip(":")
            guard let number = number(digits: 2...2) else { return nil }
            minutes = number
        }
        guard hours <= 23, minutes <= 59 else { return nil }
        let seconds = hours * 3_600 + minutes * 60
        return isWest ? -seconds : seconds
    }

    /// Reads a number with as many digits as `digits` allows, which is at most 18, so that it fits.
    mutating func number(digits: ClosedRange<Int>) -> Int64? {
        var value: Int64 = 0
        var count = 0
        while count < digits.upperBound, let digit = decimalDigit(next) {
            value = value * 10 + digit
            count += 1
            position += 1
        }
        return digits.contains(count) ? value : nil
    }

    /// Reads a fraction of a second and returns microseconds; zero if there is none.
    private mutating func fraction() -> Int64? {
        guard skip(".") || skip(",") else { return 0 }
        let start = position
        guard var value = number(digits: 1...9) else { return nil }
        let count = position - start
        for _ in 0..<(9 - count) { value *= 10 }
        return value / 1_000
    }

    /// Returns true for PM, false for AM, nil for neither.
    private mutating func halfOfDay() -> Bool? {
        guard isLenient, end - position >= 3 else { return nil }
        let letters = (bytes[position], bytes[position + 1] | 0x20, bytes[position + 2] | 0x20)
        let isOneCase = (bytes[position + 1] ^ bytes[position + 2]) & 0x20 == 0
        guard letters.0 == UInt8(ascii: " "), letters.2 == UInt8(ascii: "m"), isOneCase else {
            return nil
        }
        guard letters.1 == UInt8(ascii: "a") || letters.1 == UInt8(ascii: "p") else { return nil }
        position += 3
        return letters.1 == UInt8(ascii: "p")
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }
}
