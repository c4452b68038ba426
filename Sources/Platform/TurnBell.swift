/// Wakes an actor that takes turns: at once, or at a time of the wall clock. Of several times that
/// are asked for only the first one rings; each turn asks again for what it needs.
package struct TurnBell: Sendable {
    /// What the actor's turns wait for. Rings that come during a turn are one.
    package let rings: AsyncStream<Void>
    private let bell: AsyncStream<Void>.Continuation
    private let clock: any Clock
    private var alarm: (time: Int64, task: Task<Void, Never>)?

    /// The wall clock may be set meanwhile.
    private static let sleepMicrosecondsMax: Int64 = 60_000_000

    package init(clock: any Clock = SystemClock()) {
        self.clock = clock
        (rings, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// When it rings next, in microseconds; nil where nothing was asked for.
    package var time: Int64? { alarm?.time }

    /// Rings now.
    package func ring() { bell.yield() }

    /// Rings then (microseconds), unless it rings before.
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

    /// No time is asked for any more.
    package mutating func cancel() {
        alarm?.task.cancel()
        alarm = nil
    }
}
