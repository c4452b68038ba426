import TestSupport
import Testing

@testable import Platform

/// Runs `body` in a task on a new loop, and stops the loop. The clock moves from deadline to
/// deadline meanwhile, so a wait that should end otherwise is best without a deadline.
func onLoop<Result: Sendable>(
    clock: ManualClock = ManualClock(),
    _ body: @escaping @Sendable (EventLoop) async throws -> Result
) async throws -> Result {
    let loop = try EventLoop(clock: clock)
    let thread = loop.start(name: "test-loop")
    defer {
        loop.stop()
        thread.join()
    }
    let isOver = Box(false)
    let task = Task(executorPreference: loop) {
        defer { isOver.set(true) }
        return try await body(loop)
    }
    try #require(await clock.reaches { isOver.get() })
    return try await task.value
}

extension EventLoop {
    /// Calls `body` on a later turn, or after some time; `body` need not be sendable.
    func later(milliseconds: UInt64 = 0, _ body: @escaping () -> Void) {
        let alarm = Alarm()
        alarm.fire = body
        alarm.deadline = time(inMilliseconds: milliseconds)
        schedule(alarm)
    }

    func time(inMilliseconds count: UInt64) -> MonotonicTime {
        clock.now.advanced(nanoseconds: count * 1_000_000)
    }
}
