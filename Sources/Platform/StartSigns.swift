import Glibc
import Synchronization

/// Extends systemd's timeout during a long start, e.g. the replay of a large journal, which may
/// exceed the unit's TimeoutStartSec=. A start that hangs is not extended: a sign is sent only if
/// the process has used processor time since the one before.
package struct StartSigns: Sendable {
    /// Time between two signs.
    private let intervalMilliseconds: Int32
    /// Time by which each sign extends the start.
    package static let extensionSeconds = 60
    /// Less processor time than this in an interval counts as none: the sign thread and timers use
    /// that much.
    private static let leastNanoseconds: UInt64 = 1_000_000

    private let send: @Sendable () -> Void
    private let processorTime: @Sendable () -> UInt64

    private final class End: Sendable {
        let isThere = Atomic(false)
        let signal = WakeSignal()
    }

    /// - Parameters:
    ///   - processorTime: Returns the processor time that the process has used, in nanoseconds.
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

    /// Runs `start` and sends signs meanwhile, the first at once.
    package func during<Result>(_ start: () throws -> Result) rethrows -> Result {
        let end = End()
        // Not by the thread, which may not run before a short start has ended.
        send()
        let began = processorTime()
        let thread = PlatformThread(name: "ipnd-start") {
            var before = began
            end.signal.wait(milliseconds: intervalMilliseconds)
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
