import Glibc
import Platform

/// poll(2) with a deadline.
enum SocketWait {
    enum Outcome {
        case ready
        case deadline
        case failed(Int32)
    }

    /// Whether something, or the end, can be read at once.
    static func isReadable(_ socket: Int32) -> Bool {
        var interest = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&interest, 1, 0) > 0
    }

    /// Waits until the socket can be read, or written where that is wanted.
    static func wait(
        _ socket: Int32, reads: Bool, writes: Bool, until deadline: MonotonicTime
    ) -> Outcome {
        let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
        var interest = pollfd(fd: socket, events: Int16(events), revents: 0)
        while true {
            let now = MonotonicTime.now()
            guard now < deadline else { return .deadline }
            // Rounded up, so that a millisecond too early is no turn of its own.
            let rest = (deadline.nanoseconds - now.nanoseconds + 999_999) / 1_000_000
            let count = poll(&interest, 1, Int32(clamping: rest))
            if count > 0 { return .ready }
            if count < 0 && errno != EINTR { return .failed(errno) }
        }
    }
}
