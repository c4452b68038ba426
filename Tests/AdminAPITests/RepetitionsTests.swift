import Payments
import Testing

@testable import Store

@Suite struct RepetitionsTests {
    private static func time(_ second: Int) -> Timestamp {
        Timestamp(microseconds: Int64(second) * 1_000_000)
    }

    @Test func `each record is counted separately`() {
        let repetitions = Repetitions(since: Self.time(0))
        for second in [5, 9, 7] { repetitions.add(42, at: Self.time(second)) }
        repetitions.add(43, at: Self.time(8))
        #expect(repetitions[42] == .init(times: 3, last: Self.time(9)))
        #expect(repetitions[43] == .init(times: 1, last: Self.time(8)))
        #expect(repetitions[44] == nil)
    }

    @Test func `its memory is bounded and keeps the most recent repetitions`() {
        let repetitions = Repetitions(since: Self.time(0))
        for number in 0..<UInt64(3 * Repetitions.recordsMax) {
            repetitions.add(number + 1, at: Self.time(1))
            if number % 1000 == 0 { repetitions.add(7_777_777, at: Self.time(2)) }
            #expect(repetitions.recordCount <= Repetitions.recordsMax)
        }
        #expect(repetitions[1] == nil)
        #expect(repetitions[7_777_777]?.times == 3 * Repetitions.recordsMax / 1000 + 1)
    }
}
