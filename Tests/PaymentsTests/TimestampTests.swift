import Payments
import Testing

@Suite struct TimestampTests {
    @Test func momentsOutsideTheYears0000To9999AreRefusedOrBroughtInside() {
        #expect(Timestamp(microseconds: .max) == .maximum)
        #expect(Timestamp(microseconds: .min) == .minimum)
        #expect(Timestamp.maximum.rfc3339 == "9999-12-31T23:59:59.999999Z")
        #expect(Timestamp.minimum.rfc3339 == "0000-01-01T00:00:00Z")
        #expect(Timestamp(exactMicroseconds: Timestamp.maximum.microseconds + 1) == nil)
        #expect(Timestamp(exactMicroseconds: Timestamp.minimum.microseconds - 1) == nil)
        #expect(Timestamp(exactMicroseconds: Timestamp.minimum.microseconds) == .minimum)
    }

    @Test(arguments: [.max, .min, 253_402_300_800, -62_167_219_201] as [Int64])
    func secondsOutOfRangeAreRefused(seconds: Int64) {
        #expect(Timestamp(epochSeconds: seconds) == nil)
    }

    @Test(arguments: [.max, .min, 253_402_300_800_000] as [Int64])
    func millisecondsOutOfRangeAreRefused(milliseconds: Int64) {
        #expect(Timestamp(epochMilliseconds: milliseconds) == nil)
    }

    @Test func secondsAndMillisecondsNameTheSameMoment() {
        #expect(Timestamp(epochSeconds: -1) == Timestamp(epochMilliseconds: -1000))
        #expect(Timestamp(epochSeconds: -1)?.rfc3339 == "1969-12-31T23:59:59Z")
        #expect(Timestamp(microseconds: 1) < Timestamp(microseconds: 2))
    }
}
