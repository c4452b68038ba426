import Foundation
import Synchronization
import Testing

/// Runs each test of a suite, and each case of one, on threads that it does not share with other
/// tests, so that it may block: on a socket, a program that it started, another thread. Eight such
/// tests run at once.
///
/// Swift has as many threads for all tasks as there are cores, and a test that blocks one of them
/// starves the others.
///
/// ```swift
/// @Suite(.ownThreads) struct ConnectionTests { … }
/// ```
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package var isRecursive: Bool { true }

    private static let gate = Gate(places: 8)
    /// Each test's seconds are appended to this file, if the variable is set.
    private static let timesFile = ProcessInfo.processInfo.environment["IPND_TEST_TIMES"]

    package func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await Self.gate.enter()
        let begin = Date()
        defer {
            Self.gate.leave()
            Self.note(test, Date().timeIntervalSince(begin))
        }
        try await onOwnThread { try await body() }
    }

    private static func note(_ test: Test, _ seconds: Double) {
        guard let timesFile, let file = fopen(timesFile, "a") else { return }
        fputs("\(Int(seconds * 1000)) ms \(test.id)\n", file)
        fclose(file)
    }
}

extension Trait where Self == OwnThreads {
    /// Runs the test on its own threads, so that it may block.
    package static var ownThreads: Self { OwnThreads() }
}

/// Runs `body` on threads that no other task uses, so that it may block.
package func onOwnThread<Result>(
    _ body: () async throws -> Result
) async throws -> Result {
    try await withTaskExecutorPreference(ThreadPerJob.shared, operation: body)
}

/// Starts a thread for each part of a task between two suspensions.
private final class ThreadPerJob: TaskExecutor {
    static let shared = ThreadPerJob()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A semaphore that suspends, in order of arrival.
private final class Gate: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(places: Int) { state = Mutex(State(free: places)) }

    func enter() async {
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

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
