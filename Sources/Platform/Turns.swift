import Synchronization

/// Limits the tasks that do something at a time; the others wait in line, without a thread.
///
/// For readers that build an answer: reading is faster than sending, so without a limit every
/// reader's page would be in memory before the first one is sent. For work that blocks a thread of
/// ``WorkerPool``: the threads are few, and other tasks need them too.
package final class Turns: Sendable {
    private struct State: ~Copyable {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Index of the first that still waits.
        var first = 0
    }

    private let state: Mutex<State>

    package init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Runs `body` in a turn.
    package func take<Value, Failure>(
        _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        await begin()
        defer { end() }
        return try await body()
    }

    private func begin() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    private func end() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard state.first < state.waiting.count else {
                state.waiting.removeAll(keepingCapacity: state.waiting.count < 1024)
                state.first = 0
                state.free += 1
                return nil
            }
            let next = state.waiting[state.first]
            state.first += 1
            if state.first > 1024, state.first > state.waiting.count / 2 {
                state.waiting.removeFirst(state.first)
                state.first = 0
            }
            return next
        }
        next?.resume()
    }
}
