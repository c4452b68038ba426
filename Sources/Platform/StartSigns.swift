import Glibc
import Synchronization

/// Tells systemd that a long start is alive: one that replays a large journal may take longer than
/// the unit's TimeoutStartSec=. A start that stands still is given no more time: there is a sign
/// only where the process has worked since the one before.
package struct StartSigns: Sendable {
    /// How often there is a sign.
    private let intervalMilliseconds: Int32
    /// How much longer each lets the start take.
    package static let extensionSeconds = 60
    /// Less work than that in an interval is none: the thread that gives the signs, timers.
    private static let leastNanoseconds: UInt64 = 1_000_000

    private let send: @Sendable () -> Void
    private let processorTime: @Sendable () -> UInt64

    private final class End: Sendable {
        let isThere = Atomic(false)
        let signal = WakeSignal()
    }

    /// - Parameters:
    ///   - processorTime: What the process has used, in nanoseconds.
    ///   - send: Sends one sign.
    package init(
        intervalMilliseconds: Int32 = 10_000,
        processorTime: @escaping @Sendable () -> UInt64 = ProcessorTime.nanoseconds,
        send: @escaping @Sendable () -> Void
    ) {
        self.intervalMilliseconds = intervalMilliseconds
        self.processorTime = processorTime
        self.send = send
    }

    /// Runs `start` and gives signs meanwhile, the first at once.
    package func during<Result>(_ start: () throws -> Result) rethrows -> Result {
        let end = End()
        let thread = PlatformThread(name: "ipnd-start") {
            var before: UInt64 = 0
            while !end.isThere.load(ordering: .acquiring) {
                let now = processorTime()
                if now >= before + Self.leastNanoseconds { send() }
                before = now
                end.signal.wait(milliseconds: intervalMilliseconds)
            }
        }
        defer {
            end.isThere.store(true, ordering: .releasing)
            end.signal.wake()
            thread.join()
        }
        return try start()
    }
}
