import Platform

/// Wakes the index's thread: by a ring, at a deadline, or at the end. A ring before the wait is
/// kept.
final class IndexBell: Sendable {
    private let clock: any Clock
    private let isRung: Monitor<Bool>
    private let hasEnded: Monitor<Bool>

    init(clock: any Clock) {
        self.clock = clock
        isRung = Monitor(false, clock: clock)
        hasEnded = Monitor(false, clock: clock)
    }

    func ring() {
        isRung.withLock { $0 = true }
        isRung.wakeAll()
    }

    /// Ends every pause from here on, and rings.
    func end() {
        hasEnded.withLock { $0 = true }
        hasEnded.wakeAll()
        ring()
    }

    /// Blocks until it rings.
    func wait() { wait(until: .never) }

    /// Blocks until it rings, at most for `microseconds`.
    func wait(microseconds: Int) { wait(until: time(in: microseconds)) }

    /// Blocks for `microseconds`, whether it rings or not. Only the end is sooner.
    func pause(microseconds: Int) {
        let end = time(in: microseconds)
        hasEnded.wait { hasEnded in
            hasEnded || clock.now >= end ? .go(()) : .wait(until: end)
        }
    }

    private func wait(until end: MonotonicTime) {
        isRung.wait { isRung -> Monitor<Bool>.Decision<Void> in
            guard isRung || clock.now >= end else { return .wait(until: end) }
            isRung = false
            return .go(())
        }
    }

    private func time(in microseconds: Int) -> MonotonicTime {
        clock.now.advanced(nanoseconds: UInt64(microseconds) * 1000)
    }
}
