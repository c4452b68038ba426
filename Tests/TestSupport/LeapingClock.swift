import Platform
import Synchronization

/// A clock whose waits take no time: it jumps to the deadline. For single-threaded code, e.g. on a
/// simulated disk.
package final class LeapingClock: Clock {
    private struct State {
        var now: UInt64
        var wall: Int64
    }

    private let state: Mutex<State>
    private let step: UInt64

    /// - Parameters:
    ///   - wallMicroseconds: Initial wall clock; 2026-11-21T07:00:00Z.
    ///   - stepMicroseconds: Each reading advances the clock by this much.
    package init(
        wallMicroseconds: Int64 = 1_795_244_400_000_000, stepMicroseconds: UInt64 = 0
    ) {
        state = Mutex(State(now: 1_000_000_000_000, wall: wallMicroseconds))
        step = stepMicroseconds * 1000
    }

    package var now: MonotonicTime { MonotonicTime(nanoseconds: read().now) }
    package var wallMicroseconds: Int64 { read().wall }
    package var coarseWallSeconds: Int { Int(read().wall / 1_000_000) }

    private func read() -> State {
        state.withLock { state in
            Self.advance(&state, step)
            return state
        }
    }

    private static func advance(_ state: inout State, _ nanoseconds: UInt64) {
        state.now += nanoseconds
        state.wall += Int64(nanoseconds / 1000)
    }

    package func sleep(until deadline: MonotonicTime) async throws {
        try Task.checkCancellation()
        _ = kernelTime(of: deadline)
    }

    /// A wait without a deadline waits for something else, and does not jump.
    package func kernelTime(of deadline: MonotonicTime) -> MonotonicTime {
        guard deadline != .never else { return .never }
        state.withLock { state in
            let leap = deadline.nanoseconds(since: MonotonicTime(nanoseconds: state.now))
            Self.advance(&state, leap)
        }
        return MonotonicTime(nanoseconds: 0)
    }

    package func onMove(_ wake: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)? {
        nil
    }

    package func advance(days: Int64) {
        state.withLock { Self.advance(&$0, UInt64(days) * 86_400_000_000_000) }
    }

    /// Moves only the wall clock.
    package func jump(days: Int64) { state.withLock { $0.wall += days * 86_400_000_000 } }
}
