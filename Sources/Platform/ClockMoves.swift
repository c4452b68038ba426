import CLinux
import Glibc

/// A descriptor for poll(2) that becomes readable when its clock is moved by hand, so that a thread
/// that waits for something else checks the clock again.
///
/// ```swift
/// var entries = [
///     pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
///     pollfd(fd: moves.descriptor, events: Int16(POLLIN), revents: 0),
/// ]
/// poll(&entries, 2, clock.pollTimeout(until: deadline))
/// ```
package final class ClockMoves: Sendable {
    /// Closed with its last owner: a move that has begun may end after the wait, and would
    /// otherwise write into whatever has the number by then.
    private final class Event: Sendable {
        let descriptor: Int32

        init() {
            descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            precondition(descriptor >= 0, "the kernel gives no eventfd: errno \(errno)")
        }

        deinit { close(descriptor) }
    }

    private let event: Event?
    private let registration: (any Sendable & AnyObject)?

    package init(_ clock: any Clock) {
        guard clock.onMove({}) != nil else {
            event = nil
            registration = nil
            return
        }
        let made = Event()
        event = made
        registration = clock.onMove {
            var one: UInt64 = 1
            _ = Glibc.write(made.descriptor, &one, 8)
        }
    }

    /// -1, which poll(2) ignores, for a clock that is never moved.
    package var descriptor: Int32 { event?.descriptor ?? -1 }

    /// Discards the moves so far. Call it before reading the clock.
    package func clear() {
        guard let event else { return }
        var count: UInt64 = 0
        _ = Glibc.read(event.descriptor, &count, 8)
    }
}
