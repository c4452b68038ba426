import Glibc

/// A point on the kernel's monotonic clock, in nanoseconds since boot.
///
/// Deadlines are points, not durations: a client that sends a byte now and then buys no time.
package struct MonotonicTime: Sendable, Comparable {
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// A deadline that never comes.
    package static let never = MonotonicTime(nanoseconds: .max)

    /// The clock's reading now: one `clock_gettime`, answered by the vDSO without a system call.
    package static func now() -> MonotonicTime {
        var reading = timespec()
        clock_gettime(CLOCK_MONOTONIC, &reading)
        return MonotonicTime(
            nanoseconds: UInt64(reading.tv_sec) * 1_000_000_000 + UInt64(reading.tv_nsec))
    }

    /// The point `seconds` later; saturates at `never`.
    package func advanced(seconds: Int) -> MonotonicTime {
        advanced(nanoseconds: UInt64(max(0, seconds)).multipliedSaturating(by: 1_000_000_000))
    }

    /// The point `nanoseconds` later; saturates at `never`.
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

/// The wall clock.
package enum WallClock {
    /// Microseconds since 1970-01-01T00:00:00Z, as the kernel tells it; it may jump.
    package static func microseconds() -> Int64 {
        var reading = timespec()
        clock_gettime(CLOCK_REALTIME, &reading)
        return Int64(reading.tv_sec) * 1_000_000 + Int64(reading.tv_nsec) / 1000
    }
}
