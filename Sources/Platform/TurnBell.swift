/// Wakes an actor for its next turn: at once, or at a time of the wall clock. Only the earliest
/// requested time is kept; each turn requests again what it needs.
package struct TurnBell: Sendable {
    /// Awaited by the actor. Rings during a turn are merged into one.
    package let rings: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation
    private let clock: any Clock
    private var alarm: (time: Int64, task: Task<Void, Never>)?

    /// Limits a sleep, because the wall clock may be set meanwhile.
    private static let sleepMicrosecondsMax: Int64 = 60_000_000

    package init(clock: any Clock = SystemClock()) {
        self.clock = clock
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The next requested time in microseconds; nil if none.
    package var time: Int64? { alarm?.time }

    /// Rings now.
    package func ring() { bell.yield() }

    /// Rings at each change, until these end or the returned task is cancelled.
    package func ring(at changes: AsyncStream<Void>) -> Task<Void, Never> {
        Task(executorPreference: BackgroundExecutor.shared) { [bell] in
            for await _ in changes { bell.yield() }
        }
    }

    /// Rings at `time` (microseconds) unless it rings earlier.
    package mutating func ring(at time: Int64) {
        let now = clock.wallMicroseconds
        if let alarm, alarm.time <= time, alarm.time > now { return }
        cancel()
        let pause = max(0, min(time - now, Self.sleepMicrosecondsMax))
        let end = clock.now.advanced(nanoseconds: UInt64(pause) * 1000)
        let task = Task(executorPreference: BackgroundExecutor.shared) { [bell, clock] in
            try? await clock.sleep(until: end)
            if !Task.isCancelled { bell.yield() }
        }
        alarm = (now + pause, task)
    }

    /// Cancels the requested time.
    package mutating func cancel() {
        alarm?.task.cancel()
        alarm = nil
    }
}
