import Platform

/// Paces bulk writes beside the commits: pieces are synced one by one with pauses between them,
/// until `hurry` is called. A disk that gets all bytes at once delays a commit by tens of
/// milliseconds.
package final class WritingPace: Sendable {
    /// Maximum pause in microseconds, which bounds the needless wait of a caller.
    private static let restMaxMicroseconds: Int64 = 20_000

    private let clock: any Clock
    private let urgent: Monitor<Bool>

    package init(clock: any Clock) {
        self.clock = clock
        urgent = Monitor(false, clock: clock)
    }

    /// Whether a caller waits for the written data.
    var isUrgent: Bool { urgent.withLock { $0 } }

    /// Ends the current pause, and skips all later ones.
    package func hurry() {
        urgent.withLock { $0 = true }
        urgent.wakeAll()
    }

    /// Pauses for twice as long as a piece kept the disk busy, to leave the disk to the commits.
    func rest(afterMicroseconds busy: Int64) {
        let pause = min(max(busy, 0) * 2, Self.restMaxMicroseconds)
        let end = clock.now.advanced(nanoseconds: UInt64(pause) * 1000)
        urgent.wait { $0 || clock.now >= end ? .go(()) : .wait(until: end) }
    }
}
