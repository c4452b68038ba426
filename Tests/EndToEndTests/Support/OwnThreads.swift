import Foundation
import TestSupport
import Testing

/// Runs each test, and each case of one, on threads that it shares with no other test, eight tests
/// at once.
///
/// These tests mostly wait, blocking, for programs that they have started. Swift's own threads are
/// as many as there are cores, and two tests that wait on them would stop all the others.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    private static let gate = Gate(places: 8)
    /// Each test's own seconds are appended to this file, if the variable names one.
    private static let timesFile = ProcessInfo.processInfo.environment["IPND_TEST_TIMES"]

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable @concurrent () async throws -> Void
    ) async throws {
        await Self.gate.enter()
        let begin = Date()
        defer {
            Self.gate.leave()
            Self.note(test, Date().timeIntervalSince(begin))
        }
        try await withTaskExecutorPreference(ThreadPerJob.shared, operation: body)
    }

    private static func note(_ test: Test, _ seconds: Double) {
        guard let timesFile, let file = fopen(timesFile, "a") else { return }
        fputs("\(Int(seconds * 1000)) ms \(test.id)\n", file)
        fclose(file)
    }
}

extension Trait where Self == OwnThreads {
    /// The test may block its thread.
    static var ownThreads: OwnThreads { OwnThreads() }
}

/// Starts a thread for each step of a task between two suspensions.
private final class ThreadPerJob: TaskExecutor {
    static let shared = ThreadPerJob()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Lets so many tasks in at once, in the order in which they came.
private final class Gate: Sendable {
    private struct State {
        var places: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }
    private let state: Box<State>

    init(places: Int) { state = Box(State(places: places)) }

    func enter() async {
        await withCheckedContinuation { continuation in
            var enters = false
            state.update { state in
                enters = state.places > 0
                if enters { state.places -= 1 } else { state.waiting.append(continuation) }
            }
            if enters { continuation.resume() }
        }
    }

    func leave() {
        var next: CheckedContinuation<Void, Never>?
        state.update { state in
            if state.waiting.isEmpty {
                state.places += 1
            } else {
                next = state.waiting.removeFirst()
            }
        }
        next?.resume()
    }
}
