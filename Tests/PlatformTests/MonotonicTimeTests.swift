import Testing

@testable import Platform

@Suite struct MonotonicTimeTests {
    @Test func `addition saturates at never`() {
        let time = MonotonicTime(nanoseconds: 10)
        #expect(time.advanced(seconds: 2).nanoseconds == 2_000_000_010)
        #expect(time.advanced(seconds: .max) == .never)
        #expect(time.advanced(seconds: -5) == time)
        #expect(MonotonicTime.never.advanced(nanoseconds: 1) == .never)
        #expect(MonotonicTime.never > .now())
    }

    @Test func `the clock does not go back`() {
        let readings = (0..<100).map { _ in MonotonicTime.now() }
        #expect(zip(readings, readings.dropFirst()).allSatisfy { $0 <= $1 })
    }
}
