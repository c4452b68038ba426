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
        MonotonicTime(nanoseconds: KernelClock.nanoseconds(CLOCK_MONOTONIC))
    }

    /// What has passed since `start`; zero when that is later.
    package func nanoseconds(since start: MonotonicTime) -> UInt64 {
        nanoseconds > start.nanoseconds ? nanoseconds - start.nanoseconds : 0
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
