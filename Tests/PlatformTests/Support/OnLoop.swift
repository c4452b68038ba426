@testable import Platform

/// Runs `body` in a task on a loop of its own, and ends the loop.
func onLoop<Result: Sendable>(
    _ body: @escaping @Sendable (EventLoop) async throws -> Result
) async throws -> Result {
    let loop = try EventLoop()
    let thread = loop.start(name: "test-loop")
    defer {
        loop.stop()
        thread.join()
    }
    return try await Task(executorPreference: loop) { try await body(loop) }.value
}

extension EventLoop {
    /// Calls `body` on a later turn; for what needs not be sendable.
    func later(_ body: @escaping () -> Void) {
        let alarm = Alarm()
        alarm.fire = body
        alarm.deadline = .inMilliseconds(1)
        schedule(alarm)
    }
}

extension MonotonicTime {
    /// So many milliseconds from now.
    static func inMilliseconds(_ count: UInt64) -> MonotonicTime {
        now().advanced(nanoseconds: count * 1_000_000)
    }
}
