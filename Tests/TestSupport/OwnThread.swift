import Platform
import Synchronization
import Testing

/// Runs each test of a suite on a thread of its own, where it may block: on a socket, a semaphore,
/// another thread. A blocked test elsewhere keeps one of the few threads that all tasks share.
///
/// ```swift
/// @Suite(.ownThread) struct ConnectionTests { … }
/// ```
package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Self.places.take()
        defer { Self.places.give() }
        try await onOwnThread { try await function() }
    }

    /// More at once would only share the processors with each other.
    private static let places = Places(8)
}

extension Trait where Self == OwnThread {
    package static var ownThread: Self { OwnThread() }
}

/// Runs `body` on a thread of its own.
package func onOwnThread<Result>(
    _ body: () async throws -> Result
) async throws -> Result {
    let loop = try EventLoop()
    let thread = loop.start(name: "test-own")
    defer {
        loop.stop()
        thread.join()
    }
    return try await withTaskExecutorPreference(loop) { try await body() }
}

/// A semaphore that suspends.
private final class Places: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free == 0 {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
