import CLinux
import Glibc

/// poll(2) on one socket, with deadlines of a clock. One thread at a time may wait.
package final class SocketWait: Sendable {
    package enum Outcome: Sendable {
        case ready
        case deadline
        case failed(Int32)
    }

    package let clock: any Clock
    private let moves: ClockMoves

    package init(clock: any Clock) {
        self.clock = clock
        moves = ClockMoves(clock)
    }

    /// Whether bytes, or the end of the stream, can be read at once.
    package static func isReadable(_ socket: Int32) -> Bool {
        var interest = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&interest, 1, 0) > 0
    }

    /// Waits until the socket can be read, or written if requested.
    package func wait(
        _ socket: Int32, reads: Bool, writes: Bool, until deadline: MonotonicTime
    ) -> Outcome {
        let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
        while true {
            moves.clear()
            guard clock.now < deadline else { return .deadline }
            var both = (
                pollfd(fd: socket, events: Int16(events), revents: 0),
                pollfd(fd: moves.descriptor, events: Int16(POLLIN), revents: 0)
            )
            let count = withUnsafeMutablePointer(to: &both) { both in
                both.withMemoryRebound(to: pollfd.self, capacity: 2) {
                    poll($0, 2, clock.pollTimeout(until: deadline))
                }
            }
            if count > 0 && both.0.revents != 0 { return .ready }
            if count < 0 && errno != EINTR { return .failed(errno) }
        }
    }
}
