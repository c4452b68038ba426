import Logging
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Commands

/// A warning that is repeated every few seconds is one line, and a count.
@Suite struct RepeatedWarningsTests {
    private final class Lines: LogHandler {
        let lines = Mutex<[String]>([])
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) { lines.withLock { $0.append("\(event.message)") } }
    }

    @Test func `repetitions are counted`() async {
        let clock = ManualClock()
        let lines = Lines()
        let warnings = RepeatedWarnings(seconds: 60, Logger(label: "") { _ in lines }, clock: clock)
        for _ in 1...3 { warnings.warn("/x: cannot be opened") }
        warnings.warn("inquiry a: away", cause: "inquiries: away")
        warnings.warn("inquiry b: away", cause: "inquiries: away")
        #expect(lines.lines.withLock { $0 } == ["/x: cannot be opened", "inquiry a: away"])
        #expect(await eventuallyYielding { clock.sleeperCount == 2 })
        clock.advance(seconds: 60)
        #expect(await eventuallyYielding { lines.lines.withLock { $0.count } == 4 })
        let counts = lines.lines.withLock { Set($0.dropFirst(2)) }
        #expect(
            counts == [
                "/x: cannot be opened (2 more times in 60 s)",
                "inquiries: away (1 more times in 60 s)",
            ])
        warnings.warn("/x: cannot be opened")
        #expect(lines.lines.withLock { $0.last } == "/x: cannot be opened")
    }
}
