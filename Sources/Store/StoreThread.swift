import Glibc
import Platform

/// Detached POSIX threads: the committer and the snapshot writer block in system calls, which no
/// thread of Swift's cooperative pool may do.
enum StoreThread {
    /// Runs `body` on a new thread of that name.
    static func start(
        name: String, niceness: Int32 = 0, _ body: sending @escaping () -> Void
    ) {
        PlatformThread.detached(name: name, niceness: niceness, body)
    }

    /// Nanoseconds on the monotonic clock.
    static var now: UInt64 { MonotonicTime.now().nanoseconds }
}
