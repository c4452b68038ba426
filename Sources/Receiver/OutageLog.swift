import Platform
import Synchronization

/// Which refusals of the store are worth a warning: the first for a reason, and one a minute while
/// it lasts.
final class OutageLog: Sendable {
    private struct State: ~Copyable {
        var reason = ""
        var next = MonotonicTime(nanoseconds: 0)
    }

    private let state = Mutex(State())
    private static let pauseSeconds = 60

    func isNews(_ reason: String, now: MonotonicTime = .now()) -> Bool {
        state.withLock { state in
            guard reason != state.reason || now >= state.next else { return false }
            state.reason = reason
            state.next = now.advanced(seconds: Self.pauseSeconds)
            return true
        }
    }
}
