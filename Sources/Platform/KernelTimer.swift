/// A timer on the kernel's clock, for a library that measures time by that clock and asks to be
/// called after some milliseconds. All other code uses a `Clock`.
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

    /// The timeout for epoll_wait(2): milliseconds, or -1 for no limit.
    package var pollTimeout: Int32 { SystemClock().pollTimeout(until: deadline) }
}
