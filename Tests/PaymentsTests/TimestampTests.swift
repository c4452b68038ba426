import Payments
import TestSupport
import Testing

@Suite struct TimestampTests {
    @Test func `moments outside the years 0000 to 9999 are refused or brought inside`() {
        #expect(Timestamp(microseconds: .max) == .maximum)
        #expect(Timestamp(microseconds: .min) == .minimum)
        #expect(Timestamp.maximum.rfc3339 == "9999-12-31T23:59:59.999999Z")
        #expect(Timestamp.minimum.rfc3339 == "0000-01-01T00:00:00Z")
        #expect(Timestamp(exactMicroseconds: Timestamp.maximum.microseconds + 1) == nil)
        #expect(Timestamp(exactMicroseconds: Timestamp.minimum.microseconds - 1) == nil)
        #expect(Timestamp(exactMicroseconds: Timestamp.minimum.microseconds) == .minimum)
    }

    @Test(arguments: [.max, .min, 253_402_300_800, -62_167_219_201] as [Int64])
    func `seconds out of range are refused`(seconds: Int64) {
        #expect(Timestamp(epochSeconds: seconds) == nil)
    }

    @Test(arguments: [.max, .min, 253_402_300_800_000] as [Int64])
    func `milliseconds out of range are refused`(milliseconds: Int64) {
        #expect(Timestamp(epochMilliseconds: milliseconds) == nil)
    }

    @Test func `seconds and milliseconds name the same moment`() {
        #expect(Timestamp(epochSeconds: -1) == Timestamp(epochMilliseconds: -1000))
        #expect(Timestamp(epochSeconds: -1)?.rfc3339 == "1969-12-31T23:59:59Z")
        #expect(Timestamp(microseconds: 1) < Timestamp(microseconds: 2))
    }
}

@Suite struct TimestampParsingTests {
    @Test(arguments: [
        ("2025-05-17T00:57:31-07:00", "2025-05-17T07:57:31Z"),
        ("2023-03-10T12:26:17+0000", "2023-03-10T12:26:17Z"),
        ("2015-12-07 16:46:07+0000", "2015-12-07T16:46:07Z"),
        ("2021-08-14T09:47:43.000Z", "2021-08-14T09:47:43Z"),
        ("2026-11-21T15:00:00.123456+08:00", "2026-11-21T07:00:00.123456Z"),
        ("2026-11-21T07:00:00.123456789Z", "2026-11-21T07:00:00.123456Z"),
        ("2026-11-21T07:00:00.5Z", "2026-11-21T07:00:00.500000Z"),
        ("2026-11-21T07:00:00,25Z", "2026-11-21T07:00:00.250000Z"),
        ("2026-11-21t07:00:00z", "2026-11-21T07:00:00Z"),
        ("2026-11-21T07:00:00+08", "2026-11-20T23:00:00Z"),
        ("2026-01-01T00:00:00+05:45", "2025-12-31T18:15:00Z"),
        ("2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z"),
        ("2024-03-01T00:30:00+01:00", "2024-02-29T23:30:00Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        ("1970-01-01T00:00:00-00:00", "1970-01-01T00:00:00Z"),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
        ("2017-01-01T07:59:60+08:00", "2017-01-01T00:00:00Z"),
    ])
    func `ISO 8601 with an offset names a moment`(text: String, written: String) {
        #expect(Timestamp(iso8601: text)?.rfc3339 == written)
        #expect(Timestamp(lenient: text)?.rfc3339 == written)
    }

    @Test(arguments: [
        "", "Z", "2025", "2025-05-17", "2025-05-17T", "2025-05-17T00:57", "2025-05-17T00:57Z",
        "2025-05-17T00:57:31", "2025-05-17 00:57:31", "2025-05-17T00:57:31.Z",
        "2025-05-17T00:57:31.1234567890Z", "2025-05-17T24:00:00Z", "2025-05-17T23:60:00Z",
        "2025-05-17T23:59:61Z", "2025-05-17T12:00:60Z", "2025-05-17T00:00:00+24:00",
        "2025-05-17T00:00:00+08:60", "2025-05-17T00:00:00+8:00", "2025-05-17T00:00:00+080",
        "2025-05-17T00:00:00 Z", "2025-05-17T00:00:00ZZ", "2025-05-17T00:00:00Z ",
        " 2025-05-17T00:00:00Z", "2025-02-29T00:00:00Z", "2025-13-01T00:00:00Z",
        "2025-00-10T00:00:00Z", "2025-04-31T00:00:00Z", "2025-5-17T00:00:00Z",
        "25-05-17T00:00:00Z", "+2025-05-17T00:00:00Z", "-2025-05-17T00:00:00Z",
        "2025/05/17T00:00:00Z", "2025-05-17T1:00:00Z", "2025-05-17T01:00:00 PMZ",
        "2025-05-17X00:00:00Z", "20250517T000000Z", "2025-W20-6T00:00:00Z",
        "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "٢٠٢٥-05-17T00:00:00Z",
        "2025-05-17T00:00:00+\u{0}", "1e9",
    ])
    func `anything else is refused and above all a time without an offset`(text: String) {
        #expect(Timestamp(iso8601: text) == nil)
    }

    @Test func `a text that is too long is refused`() {
        #expect(Timestamp(lenient: String(repeating: "9", count: 100_000)) == nil)
    }

    @Test(arguments: [
        ("2017-06-22 13:23:12", "2017-06-22T13:23:12Z"),
        ("2017-06-22T13:23:12.5", "2017-06-22T13:23:12.500000Z"),
        ("2017/06/22 1:23:12 PM", "2017-06-22T13:23:12Z"),
        ("2017/06/22 1:23:12 am", "2017-06-22T01:23:12Z"),
        ("2017/06/22 12:00:00 AM", "2017-06-22T00:00:00Z"),
        ("2017/06/22 12:00:00 PM", "2017-06-22T12:00:00Z"),
        ("2017-06-22 13:23:12+0200", "2017-06-22T11:23:12Z"),
    ])
    func `a time without an offset is UTC only where that is asked for`(
        text: String, written: String
    ) {
        #expect(Timestamp(assumingUTC: text)?.rfc3339 == written)
        #expect(Timestamp(lenient: text)?.rfc3339 == written)
    }

    @Test(arguments: [
        "", "2017/06/22", "2017/06-22 13:23:12", "2017/06/22 13:23:12 PM", "2017/06/22 0:23:12 AM",
        "2017/06/22 1:23:12", "2017/06/22 1:23:12 XM", "2017/06/22 1:23:12 P",
        "22/06/2017 13:23:12",
    ])
    func `the lenient form has its limits too`(text: String) {
        #expect(Timestamp(assumingUTC: text) == nil)
        #expect(Timestamp(lenient: text) == nil)
    }

    @Test(arguments: [
        ("0", "1970-01-01T00:00:00Z"), ("1498137792", "2017-06-22T13:23:12Z"),
        ("1498137792123", "2017-06-22T13:23:12.123000Z"),
        ("99999999999", "5138-11-16T09:46:39Z"), ("100000000000", "1973-03-03T09:46:40Z"),
    ])
    func `digits are seconds and milliseconds when they are many`(text: String, written: String) {
        #expect(Timestamp(epochDigits: text)?.rfc3339 == written)
        #expect(Timestamp(lenient: text)?.rfc3339 == written)
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "1e9", "999999999999999999", "9999999999999999999"])
    func `other numbers are no moments`(text: String) {
        #expect(Timestamp(epochDigits: text) == nil)
    }

    @Test func `random text never traps`() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("0123456789-:/+.TZ PMé")
        for _ in 0..<20_000 {
            var text = Array("2025-05-17T00:57:31.123-07:00")
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                text[Int.random(in: text.indices, using: &generator)] = generator.pick(alphabet)
            }
            _ = Timestamp(lenient: String(text))
        }
    }
}

@Suite struct TimestampRFC3339Tests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.000001Z"),
            (-1, "1969-12-31T23:59:59.999999Z"), (951_827_696_000_000, "2000-02-29T12:34:56Z"),
            (1_795_244_400_123_456, "2026-11-21T07:00:00.123456Z"),
            (1_795_244_398_000_000, "2026-11-21T06:59:58Z"),
        ] as [(Int64, String)])
    func `the fraction has six digits or is not there`(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
    }

    @Test func `what is written is read as the same moment`() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<5_000 {
            let range = Timestamp.minimum.microseconds...Timestamp.maximum.microseconds
            var microseconds = Int64.random(in: range, using: &generator)
            if generator.once(in: 2) { microseconds -= microseconds % 1_000_000 }
            let moment = Timestamp(microseconds: microseconds)
            #expect(Timestamp(iso8601: moment.rfc3339) == moment)
        }
    }

    @Test func `appending leaves what was there`() {
        var bytes = Array("at ".utf8)
        Timestamp(microseconds: 0).appendRFC3339(to: &bytes)
        #expect(bytes == Array("at 1970-01-01T00:00:00Z".utf8))
    }
}
