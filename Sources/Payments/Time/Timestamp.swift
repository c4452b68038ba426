import Bytes

/// A moment in the years 0000 to 9999, which RFC 3339 can write: microseconds since
/// 1970-01-01T00:00:00Z without leap seconds.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Microseconds since 1970 UTC, between ``minimum`` and ``maximum``.
    public let microseconds: Int64

    /// 0000-01-01T00:00:00Z.
    public static let minimum = Timestamp(microseconds: -62_167_219_200_000_000)
    /// 9999-12-31T23:59:59.999999Z.
    public static let maximum = Timestamp(microseconds: 253_402_300_799_999_999)

    private static let range: ClosedRange<Int64> =
        -62_167_219_200_000_000...253_402_300_799_999_999

    /// Clamps to the years 0000 to 9999, so that a broken clock does not stop the receiver.
    public init(microseconds: Int64) {
        self.microseconds = min(
            max(microseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// The moment that `Foundation.Date`, POSIX and most clocks give as seconds since 1970 UTC;
    /// clamped to the years 0000 to 9999. Not a number is 1970.
    ///
    /// ```swift
    /// Timestamp(secondsSince1970: Date().timeIntervalSince1970)
    /// ```
    public init(secondsSince1970 seconds: Double) {
        let microseconds = (seconds * 1_000_000).rounded()
        self.init(
            microseconds: Int64(exactly: microseconds)
                ?? (microseconds > 0 ? .max : microseconds < 0 ? .min : 0))
    }

    /// Returns nil if `microseconds` is outside the years 0000 to 9999.
    package init?(exactMicroseconds microseconds: Int64) {
        guard Self.range.contains(microseconds) else { return nil }
        self.microseconds = microseconds
    }

    /// Returns nil if the moment is outside the years 0000 to 9999.
    public init?(epochSeconds seconds: Int64) {
        self.init(epoch: seconds, microsecondsPerUnit: 1_000_000)
    }

    /// Returns nil if the moment is outside the years 0000 to 9999.
    public init?(epochMilliseconds milliseconds: Int64) {
        self.init(epoch: milliseconds, microsecondsPerUnit: 1_000)
    }

    private init?(epoch units: Int64, microsecondsPerUnit: Int64) {
        let (microseconds, overflow) = units.multipliedReportingOverflow(by: microsecondsPerUnit)
        guard !overflow else { return nil }
        self.init(exactMicroseconds: microseconds)
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}

/// Parses the forms of time that providers send.
extension Timestamp {
    /// ISO 8601 date, time and offset: `2025-05-17T00:57:31-07:00`, `2023-03-10T12:26:17+0000`,
    /// `2015-12-07 16:46:07+0000`, `2021-08-14T09:47:43.000Z`.
    ///
    /// One to nine fraction digits are read and truncated to microseconds. Returns nil for anything
    /// else, including a time without an offset, which is ambiguous.
    ///
    /// ```swift
    /// Timestamp(iso8601: "2025-05-17T00:57:31-07:00")?.rfc3339  // "2025-05-17T07:57:31Z"
    /// Timestamp(iso8601: "2025-05-17T00:57:31")  // nil: no offset
    /// ```
    public init?(iso8601 text: String) {
        self.init(iso8601: text.utf8.span)
    }

    /// Same as `init(iso8601:)`, from UTF-8.
    package init?(iso8601 text: Span<UInt8>) {
        self.init(text: text, offsetWhenAbsent: nil)
    }

    /// Same as `init(iso8601:)`, but a time without an offset is read as UTC: `2017-06-22
    /// 13:23:12`, `2017/06/22 1:23:12 PM`.
    ///
    /// The provider does not document that it is UTC: use this for display only, and keep the
    /// provider's text.
    package init?(assumingUTC text: String) {
        self.init(assumingUTC: text.utf8.span)
    }

    /// Same as `init(assumingUTC:)`, from UTF-8.
    package init?(assumingUTC text: Span<UInt8>) {
        self.init(text: text, offsetWhenAbsent: 0)
    }

    /// Reads digits only: seconds since 1970 UTC, or milliseconds if the number is 100,000,000,000
    /// (the year 5138 in seconds, 1973 in milliseconds) or more.
    package init?(epochDigits text: String) {
        self.init(epochDigits: text.utf8.span)
    }

    /// Same as `init(epochDigits:)`, from UTF-8.
    package init?(epochDigits text: Span<UInt8>) {
        var scanner = TimeScanner(text)
        guard let number = scanner.number(digits: 1...18), scanner.isAtEnd else { return nil }
        if number < 100_000_000_000 {
            self.init(epochSeconds: number)
        } else {
            self.init(epochMilliseconds: number)
        }
    }

    /// Reads any of the forms above.
    package init?(lenient text: String) {
        self.init(lenient: text.utf8.span)
    }

    /// Same as `init(lenient:)`, from UTF-8.
    package init?(lenient text: Span<UInt8>) {
        if let moment = Timestamp(assumingUTC: text) ?? Timestamp(epochDigits: text) {
            self = moment
        } else {
            return nil
        }
    }

    private init?(text: Span<UInt8>, offsetWhenAbsent: Int64?) {
        var scanner = TimeScanner(text, isLenient: offsetWhenAbsent != nil)
        guard let date = scanner.date(), let time = scanner.time(),
            let offset = scanner.isAtEnd ? offsetWhenAbsent : scanner.offset(), scanner.isAtEnd
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + time.seconds - offset
        // RFC 3339 §5.7 allows second 60 for a leap second, at the end of a UTC day. In POSIX time
        // it is the first second of the next day.
        guard !time.isLeapSecond || seconds % 86_400 == 0 else { return nil }
        self.init(exactMicroseconds: seconds * 1_000_000 + time.microseconds)
    }
}

/// RFC 3339 text in UTC: the only form in records and answers.
extension Timestamp {
    /// This moment as `2026-11-21T07:00:00.123456Z`, without the fraction if it is zero:
    /// `2026-11-21T07:00:00Z`.
    public var rfc3339: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(27)
        appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends ``rfc3339`` to `bytes` without creating a string.
    package func appendRFC3339(to bytes: inout [UInt8]) {
        let text = rfc3339Text
        text.bytes.span.extracting(first: text.count).withUnsafeBufferPointer {
            bytes.append(contentsOf: $0)
        }
    }

    /// The text of ``rfc3339``: the first `count` bytes of `bytes`.
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
    public var description: String { rfc3339 }
}

extension Int64 {
    /// Returns the quotient rounded down, so that moments before 1970 fall into the right second.
    fileprivate func flooringQuotient(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : (self - divisor + 1) / divisor
    }
}

extension InlineArray<27, UInt8> {
    /// Writes a number below 100 as two digits.
    fileprivate mutating func put(_ number: Int, at index: Int) {
        self[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
        self[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
    }
}
