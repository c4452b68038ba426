import Glibc
import Payments

/// Where a provider that signs a time gets ours from; tests hand in their own.
package struct WallClock: Sendable {
    package let now: @Sendable () -> Timestamp

    package init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    /// `CLOCK_REALTIME`.
    package static let system = WallClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(
            microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}

/// How far a signed time may be from ours.
struct TimeTolerance: Sendable {
    let seconds: Int64
    let clock: WallClock

    /// - Parameter received: When the delivery came in; nil: now.
    /// - Throws: ``Refusal``, unauthenticated: `timestamp_out_of_tolerance`.
    func check(_ time: Timestamp, received: Timestamp?) throws(Refusal) {
        let ours = received ?? clock.now()
        let difference = ours.microseconds.subtractingReportingOverflow(time.microseconds)
        guard !difference.overflow, difference.partialValue.magnitude <= UInt64(seconds) * 1_000_000
        else {
            throw .unauthenticated(
                "timestamp_out_of_tolerance", "the signed time is more than \(seconds) s from ours")
        }
    }
}
