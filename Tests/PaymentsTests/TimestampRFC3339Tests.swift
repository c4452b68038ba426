import Payments
import TestSupport
import Testing

@Suite struct TimestampRFC3339Tests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1, "1970-01-01T00:00:00.000001Z"),
            (-1, "1969-12-31T23:59:59.999999Z"), (951_827_696_000_000, "2000-02-29T12:34:56Z"),
            (1_795_244_400_123_456, "2026-11-21T07:00:00.123456Z"),
            (1_795_244_398_000_000, "2026-11-21T06:59:58Z"),
        ] as [(Int64, String)])
    func theFractionHasSixDigitsOrIsNotThere(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
    }

    @Test func whatIsWrittenIsReadAsTheSameMoment() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<5_000 {
            let range = Timestamp.minimum.microseconds...Timestamp.maximum.microseconds
            var microseconds = Int64.random(in: range, using: &generator)
            if generator.once(in: 2) { microseconds -= microseconds % 1_000_000 }
            let moment = Timestamp(microseconds: microseconds)
            #expect(Timestamp(iso8601: moment.rfc3339) == moment)
        }
    }

    @Test func appendingLeavesWhatWasThere() {
        var bytes = Array("at ".utf8)
        Timestamp(microseconds: 0).appendRFC3339(to: &bytes)
        #expect(bytes == Array("at 1970-01-01T00:00:00Z".utf8))
    }
}
