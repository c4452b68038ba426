import Synchronization
import TestSupport
import Testing

@testable import Receiver

@Suite struct RepeatedCausesTests {
    private final class Counts: Sendable {
        let all = Mutex<[String]>([])
    }

    private static func cause(_ reason: String, _ endpoint: String = "antom") -> LogCause {
        LogCause(level: "warning", endpoint: endpoint, reason: reason)
    }

    private let clock = ManualClock()

    private func make(seconds: Int) -> (RepeatedCauses, Counts) {
        let counts = Counts()
        let causes = RepeatedCauses(seconds: seconds, clock: clock) { cause, count in
            counts.all.withLock { $0.append("\(cause.endpoint) \(cause.reason) \(count)") }
        }
        return (causes, counts)
    }

    @Test func `a cause is logged once and then counted`() async {
        let (causes, counts) = make(seconds: 60)
        let wrongKey = Self.cause("signature_mismatch")
        #expect(causes.shouldLog(wrongKey))
        // Another reason is another cause, and so is the same reason at another endpoint.
        #expect(causes.shouldLog(Self.cause("no_space")))
        #expect(causes.shouldLog(Self.cause("signature_mismatch", "citcon")))
        clock.advance(seconds: 59)
        for _ in 0..<999 { #expect(!causes.shouldLog(wrongKey)) }
        // The count is due a whole window after the first repetition.
        #expect(await eventuallyYielding { clock.sleeperCount == 1 })
        clock.advance(seconds: 59)
        #expect(counts.all.withLock { $0 } == [])
        #expect(!causes.shouldLog(wrongKey))
        clock.advance(seconds: 1)
        #expect(
            await eventuallyYielding {
                counts.all.withLock { $0 } == ["antom signature_mismatch 1000"]
            })
        #expect(causes.shouldLog(wrongKey))
    }

    @Test func `a cause that did not repeat is logged again afterwards`() {
        let (causes, counts) = make(seconds: 60)
        #expect(causes.shouldLog(Self.cause("no_space")))
        clock.advance(seconds: 60)
        #expect(causes.shouldLog(Self.cause("no_space")))
        #expect(counts.all.withLock { $0 } == [])
        #expect(clock.sleeperCount == 0)
    }

    @Test func `with 0 seconds each line is logged`() {
        let (causes, _) = make(seconds: 0)
        for _ in 0..<3 { #expect(causes.shouldLog(Self.cause("no_space"))) }
    }
}
