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
    /// -1, which poll(2) ignores, for a clock that is never moved.
    package let descriptor: Int32
    private let registration: (any Sendable & AnyObject)?

    package init(_ clock: any Clock) {
        guard clock.onMove({}) != nil else {
            descriptor = -1
            registration = nil
            return
        }
        let made = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(made >= 0, "the kernel gives no eventfd: errno \(errno)")
        descriptor = made
        registration = clock.onMove {
            var one: UInt64 = 1
            _ = Glibc.write(made, &one, 8)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Discards the moves so far. Call it before reading the clock.
    package func clear() {
        guard descriptor >= 0 else { return }
        var count: UInt64 = 0
        _ = Glibc.read(descriptor, &count, 8)
    }
}
