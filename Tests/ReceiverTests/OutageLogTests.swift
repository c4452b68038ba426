import Platform
import Testing

@testable import Receiver

@Suite struct OutageLogTests {
    @Test func aReasonIsNewsOnceAMinuteAndAnotherOneAtOnce() {
        let log = OutageLog()
        let start = MonotonicTime(nanoseconds: 1)
        #expect(log.isNews("database_unavailable", now: start))
        #expect(!log.isNews("database_unavailable", now: start.advanced(seconds: 59)))
        #expect(log.isNews("no_space", now: start.advanced(seconds: 59)))
        #expect(!log.isNews("no_space", now: start.advanced(seconds: 100)))
        #expect(log.isNews("no_space", now: start.advanced(seconds: 119)))
    }
}
