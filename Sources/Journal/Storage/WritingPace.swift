import Platform

/// How fast much is written beside the commits: in pieces that are synced one by one, with rests
/// between them, until somebody waits for it. A disk that gets all at once lets a commit wait
/// behind it for tens of milliseconds.
package final class WritingPace: Sendable {
    /// The longest pause, in microseconds: who waits may wait this long for nothing.
    private static let restMaxMicroseconds: Int64 = 20_000

    private let clock: any Clock
    private let urgent: Monitor<Bool>

    package init(clock: any Clock) {
        self.clock = clock
        urgent = Monitor(false, clock: clock)
    }

    /// Somebody waits for what is written.
    var isUrgent: Bool { urgent.withLock { $0 } }

    /// From now on there are no rests, and the present one ends.
    package func hurry() {
        urgent.withLock { $0 = true }
        urgent.wakeAll()
    }

    /// Leaves the disk to the commits for twice as long as a piece has kept it busy.
    func rest(afterMicroseconds busy: Int64) {
        let pause = min(max(busy, 0) * 2, Self.restMaxMicroseconds)
        let end = clock.now.advanced(nanoseconds: UInt64(pause) * 1000)
        urgent.wait { $0 || clock.now >= end ? .go(()) : .wait(until: end) }
    }
}
