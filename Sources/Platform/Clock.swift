import Glibc

/// Reads the time and waits for it.
///
/// Everything that waits, expires, renews, retries or measures uses a clock that is passed in:
/// `SystemClock` in the program, a clock that the test moves in tests. Only `Platform` and the
/// wiring in `ipnd` read the kernel's clocks.
///
/// ```swift
/// let expires = clock.now.advanced(seconds: 30)
/// try await clock.sleep(until: expires)
/// ```
package protocol Clock: Sendable {
    /// Reading of the monotonic clock, for deadlines and durations.
    var now: MonotonicTime { get }

    /// Microseconds since 1970-01-01T00:00:00Z by the wall clock, which may jump in either
    /// direction. For timestamps that others compare with theirs.
    var wallMicroseconds: Int64 { get }

    /// Whole seconds of the wall clock, up to a few milliseconds late, but cheaper to read.
    var coarseWallSeconds: Int { get }

    /// Suspends the task until `deadline`. Throws `CancellationError` as soon as the task is
    /// cancelled.
    func sleep(until deadline: MonotonicTime) async throws

    /// The point on the kernel's monotonic clock until which a thread that waits for `deadline` may
    /// sleep; `never` if only a call of `onMove` ends the wait.
    func kernelTime(of deadline: MonotonicTime) -> MonotonicTime

    /// Calls `wake` each time the clock is moved by hand, for as long as the returned value lives.
    /// Returns nil for the system's clock, which is never moved.
    func onMove(_ wake: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)?
}

extension Clock {
    package func sleep(microseconds: Int64) async throws {
        try await sleep(until: now.advanced(nanoseconds: UInt64(max(0, microseconds)) * 1000))
    }

    package func sleep(milliseconds: Int) async throws {
        try await sleep(microseconds: Int64(milliseconds) * 1000)
    }

    package func sleep(seconds: Int) async throws {
        try await sleep(until: now.advanced(seconds: seconds))
    }

    /// Blocks the calling thread until `deadline`.
    package func block(until deadline: MonotonicTime) {
        Monitor((), clock: self).wait { _ in
            now >= deadline ? .go(()) : .wait(until: deadline)
        }
    }

    /// The timeout for poll(2) or epoll_wait(2) of a thread that waits for `deadline`:
    /// milliseconds, rounded up so that the thread does not spin through the last one; -1 for no
    /// limit.
    package func pollTimeout(until deadline: MonotonicTime) -> Int32 {
        let end = kernelTime(of: deadline)
        guard end != .never else { return -1 }
        return Self.wholeMilliseconds(end.nanoseconds(since: .now()))
    }

    static func wholeMilliseconds(_ nanoseconds: UInt64) -> Int32 {
        Int32(clamping: nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 == 0 ? 0 : 1))
    }
}

/// The kernel's clocks.
package struct SystemClock: Clock {
    package init() {}

    package var now: MonotonicTime { .now() }
    package var wallMicroseconds: Int64 { WallClock.microseconds() }
    package var coarseWallSeconds: Int { WallClock.coarseSeconds() }

    package func sleep(until deadline: MonotonicTime) async throws {
        try await WorkerPool.shared.wait(until: deadline)
    }

    package func kernelTime(of deadline: MonotonicTime) -> MonotonicTime { deadline }

    package func onMove(_ wake: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)? {
        nil
    }
}

/// A point on the kernel's monotonic clock, in nanoseconds since boot.
///
/// Deadlines are points, not durations, so a client that sends a byte now and then gains no time.
package struct MonotonicTime: Sendable, Comparable {
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// A deadline that never comes.
    package static let never = MonotonicTime(nanoseconds: .max)

    /// The current reading: one `clock_gettime`, which the vDSO answers without a system call.
    package static func now() -> MonotonicTime {
        MonotonicTime(nanoseconds: KernelClock.nanoseconds(CLOCK_MONOTONIC))
    }

    /// Nanoseconds since `start`; zero if that is later.
    package func nanoseconds(since start: MonotonicTime) -> UInt64 {
        nanoseconds > start.nanoseconds ? nanoseconds - start.nanoseconds : 0
    }

    /// Returns the point `seconds` later; saturates at `never`.
    package func advanced(seconds: Int) -> MonotonicTime {
        advanced(nanoseconds: UInt64(max(0, seconds)).multipliedSaturating(by: 1_000_000_000))
    }

    /// Returns the point `nanoseconds` later; saturates at `never`.
    package func advanced(nanoseconds delta: UInt64) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(delta)
        return overflow ? .never : MonotonicTime(nanoseconds: sum)
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension UInt64 {
    fileprivate func multipliedSaturating(by factor: UInt64) -> UInt64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}

/// Reads the kernel's clocks with `clock_gettime`, which the vDSO answers without a system call
/// except for the processor time.
enum KernelClock {
    static func reading(_ clock: clockid_t) -> timespec {
        var reading = timespec()
        clock_gettime(clock, &reading)
        return reading
    }

    /// For clocks that are never negative.
    static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        let reading = reading(clock)
        return UInt64(reading.tv_sec) * 1_000_000_000 + UInt64(reading.tv_nsec)
    }
}

/// The kernel's wall clock. It may jump in either direction.
package enum WallClock {
    /// Microseconds since 1970-01-01T00:00:00Z.
    package static func microseconds() -> Int64 {
        let reading = KernelClock.reading(CLOCK_REALTIME)
        return Int64(reading.tv_sec) * 1_000_000 + Int64(reading.tv_nsec) / 1000
    }

    /// Seconds since 1970-01-01T00:00:00Z as of the last tick: a few milliseconds late, but
    /// cheaper.
    package static func coarseSeconds() -> Int {
        KernelClock.reading(CLOCK_REALTIME_COARSE).tv_sec
    }
}

/// The processor time that this process has used.
package enum ProcessorTime {
    package static func nanoseconds() -> UInt64 {
        KernelClock.nanoseconds(CLOCK_PROCESS_CPUTIME_ID)
    }
}
