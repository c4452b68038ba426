import Payments
import Platform

/// When a notification came: by the wall clock for the record, by the monotonic one for how long
/// the acknowledgement took.
package struct Arrival: Sendable {
    package let received: Timestamp
    package let monotonic: MonotonicTime

    package static func now() -> Arrival {
        Arrival(
            received: Timestamp(microseconds: WallClock.microseconds()), monotonic: .now())
    }

    /// Microseconds since the arrival.
    package var elapsedMicroseconds: UInt64 {
        (MonotonicTime.now().nanoseconds - monotonic.nanoseconds) / 1000
    }
}
