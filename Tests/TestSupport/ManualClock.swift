import Platform
import Synchronization

/// A clock that moves only when the test moves it.
///
/// ```swift
/// let clock = ManualClock()
/// let leases = HeldLeases(clock: clock)
/// clock.advance(seconds: 30)          // wakes everything whose deadline has passed
/// await clock.reaches { leases.all.isEmpty }   // moves from deadline to deadline until it holds
/// ```
package final class ManualClock: Clock {
    private struct Sleeper {
        let deadline: MonotonicTime
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = MonotonicTime(nanoseconds: 1_000_000_000_000)
        var wall: Int64
        var number = 0
        var sleepers: [Int: Sleeper] = [:]
        /// Sleepers that were cancelled before they slept.
        var cancelled: Set<Int> = []
        /// The deadlines of threads and loops.
        var deadlines: Set<UInt64> = []
        var moves: [Int: @Sendable () -> Void] = [:]
        var skipped: [UInt64] = []
    }

    private final class Move: Sendable {
        let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }

    private let state: Mutex<State>
    private let skipsWaits: Bool

    /// - Parameters:
    ///   - wallMicroseconds: Initial wall clock; 2026-11-21T07:00:00Z.
    ///   - skipsWaits: Whether a thread's wait ends at once, at its deadline: for code that runs on
    ///     the test's own thread.
    package init(wallMicroseconds: Int64 = 1_795_244_400_000_000, skipsWaits: Bool = false) {
        self.skipsWaits = skipsWaits
        state = Mutex(State(wall: wallMicroseconds))
    }

    // MARK: Clock

    package var now: MonotonicTime { state.withLock { $0.now } }
    package var wallMicroseconds: Int64 { state.withLock { $0.wall } }
    package var coarseWallSeconds: Int { Int(wallMicroseconds / 1_000_000) }

    package func sleep(until deadline: MonotonicTime) async throws {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.remove(number) != nil || Task.isCancelled {
                        return .failure(CancellationError())
                    }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[number] = Sleeper(
                        deadline: deadline, continuation: continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    package func kernelTime(of deadline: MonotonicTime) -> MonotonicTime {
        state.withLock { state in
            // It passed since the caller read the clock: the caller must read it again at once.
            if deadline <= state.now { return MonotonicTime(nanoseconds: 0) }
            if skipsWaits, deadline != .never {
                let pause = deadline.nanoseconds(since: state.now)
                state.skipped.append(pause)
                state.now = deadline
                state.wall += Int64(pause / 1000)
                return MonotonicTime(nanoseconds: 0)
            }
            if deadline != .never { state.deadlines.insert(deadline.nanoseconds) }
            return .never
        }
    }

    package func onMove(_ wake: @escaping @Sendable () -> Void) -> (any Sendable & AnyObject)? {
        let number = state.withLock { state in
            state.number += 1
            state.moves[state.number] = wake
            return state.number
        }
        return Move { [weak self] in
            _ = self?.state.withLock { $0.moves.removeValue(forKey: number) }
        }
    }

    // MARK: Moved by the test

    package func advance(seconds: Double) {
        advance(nanoseconds: UInt64(seconds * 1e9))
    }

    package func advance(milliseconds: Int) {
        advance(nanoseconds: UInt64(milliseconds) * 1_000_000)
    }

    /// Moves both clocks and wakes everything whose deadline has passed.
    package func advance(nanoseconds: UInt64) {
        let (sleepers, moves) = state.withLock { state in
            state.now = state.now.advanced(nanoseconds: nanoseconds)
            state.wall += Int64(nanoseconds / 1000)
            let now = state.now
            let due = state.sleepers.filter { $0.value.deadline <= now }
            for number in due.keys { state.sleepers[number] = nil }
            state.deadlines = state.deadlines.filter { $0 > now.nanoseconds }
            let order = due.sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            return (order.map(\.value), Array(state.moves.values))
        }
        for sleeper in sleepers { sleeper.continuation.resume() }
        for move in moves { move() }
    }

    /// Sets the wall clock, as an administrator or NTP does; the monotonic clock stays.
    package func setWall(microseconds: Int64) { state.withLock { $0.wall = microseconds } }

    /// The durations that threads waited, in order, in nanoseconds; with `skipsWaits`.
    package var skippedWaits: [UInt64] { state.withLock { $0.skipped } }

    /// Number of sleeping tasks.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The earliest deadline of all waits; nil without waits.
    package var nextDeadline: MonotonicTime? {
        state.withLock { state in
            let sleeping = state.sleepers.values.map(\.deadline.nanoseconds)
            return (sleeping + state.deadlines).min().map { MonotonicTime(nanoseconds: $0) }
        }
    }

    /// Moves to the earliest deadline of all waits; returns false without waits.
    @discardableResult
    package func advanceToNextDeadline() -> Bool {
        guard let next = nextDeadline else { return false }
        advance(nanoseconds: next.nanoseconds(since: now))
        return true
    }

    /// Moves from deadline to deadline until `condition` holds. Other threads get some real time
    /// between two moves; its length affects only how far this clock gets.
    ///
    /// - Returns: Whether the condition held before `movesMax` moves, and before a minute of real
    ///   time passed without a deadline to move to.
    package func reaches(_ condition: () async throws -> Bool) async rethrows -> Bool {
        for _ in 0..<Self.movesMax {
            for _ in 0..<3 {
                if try await condition() { return true }
                await pause(milliseconds: 2)
            }
            if advanceToNextDeadline() { continue }
            var holds = false
            let goesOn = try await eventuallyYielding {
                holds = try await condition()
                return holds || nextDeadline != nil
            }
            guard goesOn, !holds else { return holds }
        }
        return false
    }

    private static let movesMax = 10_000
}

private func < (
    left: (MonotonicTime, Int), right: (MonotonicTime, Int)
) -> Bool {
    left.0 != right.0 ? left.0 < right.0 : left.1 < right.1
}
