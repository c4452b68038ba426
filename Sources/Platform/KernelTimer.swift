/// A timer of the kernel's clock, for a library that counts time by that clock itself and asks to
/// be called after some milliseconds. Everything else takes its time from a `Clock`.
package struct KernelTimer {
    private var deadline = MonotonicTime.never

    package init() {}

    /// Sets the timer; nil stops it.
    package mutating func set(milliseconds: Int?) {
        deadline =
            milliseconds.map { .now().advanced(nanoseconds: UInt64(max(0, $0)) * 1_000_000) }
            ?? .never
    }

    /// Whether the time has passed.
    package var isDue: Bool { deadline != .never && deadline <= .now() }

    /// The timeout for epoll_wait(2): milliseconds; -1 for no limit.
    package var pollTimeout: Int32 { SystemClock().pollTimeout(until: deadline) }
}
