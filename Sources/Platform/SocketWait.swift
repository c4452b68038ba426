import CLinux
import Glibc

/// poll(2) on one socket, with deadlines of a clock. One thread at a time waits.
package final class SocketWait {
    package enum Outcome {
        case ready
        case deadline
        case failed(Int32)
    }

    package let clock: any Clock
    /// Can be read after the clock was moved by hand; nil where nobody moves it.
    private let moved: MoveSignal?
    private let moves: (any Sendable & AnyObject)?

    package init(clock: any Clock) {
        self.clock = clock
        let moved = MoveSignal()
        moves = clock.onMove { moved.set() }
        self.moved = moves == nil ? nil : moved
    }

    /// Whether something, or the end, can be read at once.
    package static func isReadable(_ socket: Int32) -> Bool {
        var interest = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&interest, 1, 0) > 0
    }

    /// Waits until the socket can be read, or written where that is wanted.
    package func wait(
        _ socket: Int32, reads: Bool, writes: Bool, until deadline: MonotonicTime
    ) -> Outcome {
        let events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0)
        while true {
            guard clock.now < deadline else { return .deadline }
            let interest = pollfd(fd: socket, events: Int16(events), revents: 0)
            let (count, isReady) = pollBoth(interest, until: clock.kernelTime(of: deadline))
            if isReady { return .ready }
            if count < 0 && errno != EINTR { return .failed(errno) }
            moved?.clear()
        }
    }

    /// - Parameter end: A point of the kernel's clock.
    private func pollBoth(_ interest: pollfd, until end: MonotonicTime) -> (Int32, isReady: Bool) {
        // Rounded up, so that a millisecond too early is no turn of its own.
        let rest = (min(end.nanoseconds(since: .now()), .max - 999_999) + 999_999) / 1_000_000
        let pause = end == .never ? -1 : Int32(clamping: rest)
        let mover = pollfd(fd: moved?.descriptor ?? -1, events: Int16(POLLIN), revents: 0)
        var both = (interest, mover)
        let count = withUnsafeMutablePointer(to: &both) { both in
            both.withMemoryRebound(to: pollfd.self, capacity: 2) {
                Glibc.poll($0, moved == nil ? 1 : 2, pause)
            }
        }
        return (count, count > 0 && both.0.revents != 0)
    }
}

/// An eventfd(2) that is set when a clock was moved.
private final class MoveSignal: Sendable {
    let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "the kernel gives no eventfd: errno \(errno)")
    }

    deinit { close(descriptor) }

    func set() {
        var one: UInt64 = 1
        _ = write(descriptor, &one, 8)
    }

    func clear() {
        var count: UInt64 = 0
        _ = read(descriptor, &count, 8)
    }
}
