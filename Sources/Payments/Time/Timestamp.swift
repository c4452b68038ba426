/// A moment: microseconds since 1970-01-01T00:00:00Z, without leap seconds, in the years 0000 to
/// 9999 that RFC 3339 can write.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Microseconds since 1970 UTC, always within `minimum` and `maximum`.
    package let microseconds: Int64

    /// 0000-01-01T00:00:00Z.
    package static let minimum = Timestamp(microseconds: -62_167_219_200_000_000)
    /// 9999-12-31T23:59:59.999999Z.
    package static let maximum = Timestamp(microseconds: 253_402_300_799_999_999)

    private static let range: ClosedRange<Int64> =
        -62_167_219_200_000_000...253_402_300_799_999_999

    /// What lies outside the years 0000 to 9999 becomes the nearest moment inside: a clock gone mad
    /// must not stop the receiver.
    package init(microseconds: Int64) {
        self.microseconds = min(
            max(microseconds, Self.range.lowerBound), Self.range.upperBound)
    }

    /// Nil when `microseconds` lies outside the years 0000 to 9999.
    package init?(exactMicroseconds microseconds: Int64) {
        guard Self.range.contains(microseconds) else { return nil }
        self.microseconds = microseconds
    }

    /// Nil when the moment lies outside the years 0000 to 9999.
    package init?(epochSeconds seconds: Int64) {
        self.init(epoch: seconds, microsecondsPerUnit: 1_000_000)
    }

    /// Nil when the moment lies outside the years 0000 to 9999.
    package init?(epochMilliseconds milliseconds: Int64) {
        self.init(epoch: milliseconds, microsecondsPerUnit: 1_000)
    }

    private init?(epoch units: Int64, microsecondsPerUnit: Int64) {
        let (microseconds, overflow) = units.multipliedReportingOverflow(by: microsecondsPerUnit)
        guard !overflow else { return nil }
        self.init(exactMicroseconds: microseconds)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}
