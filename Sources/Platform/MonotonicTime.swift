import Glibc

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
