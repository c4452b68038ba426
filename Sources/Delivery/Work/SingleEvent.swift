import Synchronization

/// Something that happens once and may be waited for.
package final class SingleEvent: Sendable {
    private struct State: ~Copyable {
        var hasOccurred = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Resumes those that wait. Further calls do nothing.
    func occur() {
        let waiters = state.withLock { state in
            state.hasOccurred = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns at once if it has happened.
    func wait() async {
        await withCheckedContinuation { continuation in
            let hasOccurred = state.withLock { state in
                if !state.hasOccurred { state.waiters.append(continuation) }
                return state.hasOccurred
            }
            if hasOccurred { continuation.resume() }
        }
    }
}
