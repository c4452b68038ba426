import Glibc
import Platform

/// The provider's clock: what the pauses of its schedule are measured on.
package protocol SimulationClock: Sendable {
    /// How far it has run since it was made.
    var elapsed: Duration { get }

    /// Returns when `duration` of this clock has gone by.
    func pause(_ duration: Duration)
}

/// A clock that runs `speed` times as fast as time.
package struct ScaledClock: SimulationClock {
    private let speed: Double
    private let start = MonotonicTime.now()

    package init(speed: Double) { self.speed = speed }

    package var elapsed: Duration {
        let real = MonotonicTime.now().nanoseconds - start.nanoseconds
        return .nanoseconds(Int64(min(Double(real) * speed, 9e18)))
    }

    /// How long a pause takes in earnest, in nanoseconds.
    package func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        let exact = (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) / speed
        return exact >= 9e18 ? .max : max(0, Int64(exact))
    }

    package func pause(_ duration: Duration) {
        let wait = nanoseconds(duration)
        var rest = timespec(tv_sec: Int(wait / 1_000_000_000), tv_nsec: Int(wait % 1_000_000_000))
        var left = timespec()
        while nanosleep(&rest, &left) != 0, errno == EINTR { rest = left }
    }
}
