import Platform
import Store
import TestSupport
import Testing

@testable import Pages

/// The records per second of each interval, from samples taken only while records arrive.
@Suite struct RateMeterTests {
    private let meter = RateMeter(CommitFeed(), clock: ManualClock())
    private let start = ManualClock().now.advanced(seconds: 1)

    private func at(_ seconds: Int) -> MonotonicTime { start.advanced(seconds: seconds) }

    @Test func `a steady pace is a level line`() {
        for second in stride(from: 0, through: 20, by: 2) {
            meter.add(UInt64(second) * 10, at: at(second))
        }
        let rates = meter.perSecond(until: at(20)).suffix(8)
        #expect(rates.count == 8)
        for rate in rates { #expect(abs(rate - 10) < 0.01) }
    }

    @Test func `records after a pause belong to the last interval`() {
        meter.add(0, at: at(0))
        meter.add(100, at: at(60))
        let rates = meter.perSecond(until: at(60))
        #expect(abs((rates.last ?? 0) - 50) < 0.01)
        #expect(rates.dropLast().allSatisfy { $0 < 0.01 })
    }

    @Test func `a pause is visible without a sample`() {
        for second in stride(from: 0, through: 10, by: 2) {
            meter.add(UInt64(second) * 10, at: at(second))
        }
        let rates = meter.perSecond(until: at(40))
        #expect(rates.suffix(15).allSatisfy { $0 == 0 })
        #expect(rates.contains { $0 > 9 })
    }

    @Test func `only the last minutes are kept`() {
        for second in stride(from: 0, through: 2000, by: 2) {
            meter.add(UInt64(second), at: at(second))
        }
        #expect(meter.perSecond(until: at(2000)).count == RateMeter.samplesMax)
    }
}
