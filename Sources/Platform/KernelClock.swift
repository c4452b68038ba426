import Glibc

/// Reads the kernel's clocks: one `clock_gettime`, which the vDSO answers without a system call for
/// all but the processor's time.
enum KernelClock {
    static func reading(_ clock: clockid_t) -> timespec {
        var reading = timespec()
        clock_gettime(clock, &reading)
        return reading
    }

    /// For clocks that are never below 0.
    static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        let reading = reading(clock)
        return UInt64(reading.tv_sec) * 1_000_000_000 + UInt64(reading.tv_nsec)
    }
}

/// The wall clock, as the kernel tells it. It may jump, in either direction.
package enum WallClock {
    /// Microseconds since 1970-01-01T00:00:00Z.
    package static func microseconds() -> Int64 {
        let reading = KernelClock.reading(CLOCK_REALTIME)
        return Int64(reading.tv_sec) * 1_000_000 + Int64(reading.tv_nsec) / 1000
    }

    /// Seconds since 1970-01-01T00:00:00Z, as of the last tick: a few milliseconds behind, and
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
