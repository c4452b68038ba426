import Glibc
import Platform

/// A point in time up to which one step may wait.
struct Deadline {
    let phase: ClientError.Phase
    private let moment: MonotonicTime

    init(_ phase: ClientError.Phase, milliseconds: Int) {
        self.phase = phase
        moment = .now().advanced(nanoseconds: UInt64(max(0, milliseconds)) * 1_000_000)
    }

    /// The same moment for another step.
    init(_ phase: ClientError.Phase, as other: Deadline) {
        self.phase = phase
        moment = other.moment
    }

    /// Waits for `events` (poll(2)) on `descriptor`.
    ///
    /// - Throws: `timedOut` with this deadline's phase.
    func wait(_ events: Int32, on descriptor: Int32) throws(ClientError) {
        while true {
            let now = MonotonicTime.now()
            guard now < moment else { throw .timedOut(phase) }
            // Rounded up: a wait that is cut short would only be one more turn.
            let left = (moment.nanoseconds - now.nanoseconds + 999_999) / 1_000_000
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = poll(&entry, 1, Int32(min(left, 1 << 30)))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw .lost(errno: errno) }
        }
    }
}
