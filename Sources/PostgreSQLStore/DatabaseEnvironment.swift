import Glibc
import Platform

/// What the store asks of the process around it; tests give their own.
package struct DatabaseEnvironment: Sendable {
    /// The clock of all deadlines.
    package var now: @Sendable () -> MonotonicTime = { .now() }
    /// Runs what opens a connection: on a thread of its own, for it may block.
    package var start: @Sendable (_ body: @escaping @Sendable () -> Void) -> Void = {
        PlatformThread.detached(name: "ipnd-connect", $0)
    }
    /// Sleeps in place of the committer's thread, at most until then; nil for a real sleep.
    package var sleep: (@Sendable (_ deadline: MonotonicTime) -> Void)?

    package init() {}

    /// Sleeps for so long.
    func pause(nanoseconds: UInt64) {
        if let sleep { return sleep(now().advanced(nanoseconds: nanoseconds)) }
        usleep(UInt32(clamping: nanoseconds / 1000))
    }
}
