import Platform
import Synchronization

/// The part of the record that is known to be on all copies, so that it may be shown to readers.
///
/// On a primary that was cut off or has just restarted, rows are visible that a failover loses, and
/// their sequences will be used again. A synchronous commit confirms everything before it in the
/// log of the same server. So a sequence is confirmed on one server only: it may name other rows on
/// another.
final class Confirmations: Sendable {
    private struct State: ~Copyable {
        /// The run of the server.
        var server = ""
        var sequence: UInt64 = 0
        var nextTouch = MonotonicTime(nanoseconds: 0)
    }

    private let state = Mutex(State())
    private let spacing: UInt64
    let environment: DatabaseEnvironment

    /// - Parameter millisecondsMin: Minimum time between two commits that only confirm.
    init(millisecondsMin: Int, environment: DatabaseEnvironment) {
        spacing = UInt64(millisecondsMin) * 1_000_000
        self.environment = environment
    }

    /// Notes a synchronous commit on `server` after the record `sequence`.
    func note(_ sequence: UInt64, on server: String) {
        state.withLock { state in
            if state.server != server {
                state.server = server
                state.sequence = 0
            }
            state.sequence = max(state.sequence, sequence)
        }
    }

    /// Whether the record `sequence`, as `server` shows it, is on all copies.
    func covers(_ sequence: UInt64, on server: String) -> Bool {
        state.withLock { $0.server == server && $0.sequence >= sequence }
    }

    /// Waits until the caller may confirm; the next caller has to wait for the spacing. Returns
    /// whether it had to wait.
    func awaitTurn() -> Bool {
        let now = environment.now()
        let turn = state.withLock { state in
            let turn = max(now, state.nextTouch)
            state.nextTouch = turn.advanced(nanoseconds: spacing)
            return turn
        }
        guard turn > now else { return false }
        environment.pause(nanoseconds: turn.nanoseconds - now.nanoseconds)
        return true
    }
}
