import Platform
import Synchronization
import Testing

@testable import Receiver

@Suite struct RepeatedCausesTests {
    private final class Counts: Sendable {
        let all = Mutex<[String]>([])
    }

    private static func cause(_ reason: String, _ endpoint: String = "antom") -> LogCause {
        LogCause(level: "warning", endpoint: endpoint, reason: reason)
    }

    private static func make(seconds: Int) -> (RepeatedCauses, Counts) {
        let counts = Counts()
        let causes = RepeatedCauses(seconds: seconds) { cause, count in
            counts.all.withLock { $0.append("\(cause.endpoint) \(cause.reason) \(count)") }
        }
        return (causes, counts)
    }

    @Test func aCauseIsNewsOnceAndThenCounted() {
        let (causes, counts) = Self.make(seconds: 3600)
        let start = MonotonicTime(nanoseconds: 1)
        let wrongKey = Self.cause("signature_mismatch")
        #expect(causes.isNews(wrongKey, now: start))
        for _ in 0..<999 { #expect(!causes.isNews(wrongKey, now: start.advanced(seconds: 59))) }
        // Another reason, and the same one at another endpoint, are causes of their own.
        #expect(causes.isNews(Self.cause("no_space"), now: start))
        #expect(causes.isNews(Self.cause("signature_mismatch", "citcon"), now: start))
        #expect(counts.all.withLock { $0 } == [])
        causes.endWindow(of: wrongKey)
        causes.endWindow(of: Self.cause("no_space"))
        #expect(counts.all.withLock { $0 } == ["antom signature_mismatch 999"])
        #expect(causes.isNews(wrongKey, now: start.advanced(seconds: 60)))
    }

    @Test func aCauseThatDidNotRepeatIsNewsAgainAfterTheTime() {
        let (causes, counts) = Self.make(seconds: 60)
        let start = MonotonicTime(nanoseconds: 1)
        #expect(causes.isNews(Self.cause("no_space"), now: start))
        #expect(causes.isNews(Self.cause("no_space"), now: start.advanced(seconds: 60)))
        #expect(counts.all.withLock { $0 } == [])
    }

    @Test func withoutATimeEachIsNews() {
        let (causes, _) = Self.make(seconds: 0)
        for _ in 0..<3 { #expect(causes.isNews(Self.cause("no_space"))) }
    }
}
