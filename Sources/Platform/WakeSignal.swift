import CLinux
import Glibc

/// Lets one thread sleep until another wakes it; a wake before the sleep is not lost.
package struct WakeSignal: Sendable {
    private let descriptor: Int32

    /// The descriptor lives as long as the process: signals belong to long-lived threads.
    package init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC))
        precondition(descriptor >= 0, "the kernel gives no eventfd: errno \(errno)")
    }

    package func wake() {
        var one: UInt64 = 1
        _ = Glibc.write(descriptor, &one, 8)
    }

    package func wait() {
        var count: UInt64 = 0
        while Glibc.read(descriptor, &count, 8) < 0, errno == EINTR {}
    }

    /// Same as `wait()`, but returns after this time at the latest.
    package func wait(milliseconds: Int32) {
        var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&interest, 1, milliseconds) > 0 { wait() }
    }
}
