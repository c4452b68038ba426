import Synchronization

/// Whether a connection's client is still there, for handlers that hold a request.
///
/// A client that has closed only its sending side counts as gone too: it can still be answered,
/// but it is not worth waiting for.
package final class ClientPresence: Sendable {
    private struct State: ~Copyable {
        var hasEnded = false
        var next = 0
        var actions: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the client has gone.
    package var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Runs `action` when the client goes, at once if it has gone already. The number is for
    /// `forget`.
    package func whenEnded(_ action: @escaping @Sendable () -> Void) -> Int {
        let number: Int? = state.withLock { state in
            if state.hasEnded { return nil }
            state.next += 1
            state.actions[state.next] = action
            return state.next
        }
        if let number { return number }
        action()
        return 0
    }

    /// Takes back what `whenEnded` was given.
    package func forget(_ number: Int) {
        state.withLock { _ = $0.actions.removeValue(forKey: number) }
    }

    /// The client has gone.
    package func end() {
        let actions = state.withLock { state in
            state.hasEnded = true
            return exchange(&state.actions, with: [:])
        }
        for action in actions.values { action() }
    }
}
