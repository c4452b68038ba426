import Foundation
import TestSupport
import Testing

@testable import Platform

@Suite struct WorkerPoolTests {
    private let clock = ManualClock()

    @Test func `a task that prefers it runs on its threads`() async {
        let pool = WorkerPool()
        let name = await Task(executorPreference: pool) { threadName() }.value
        #expect(name == "ipnd-work\n")
        #expect(await pool.run { threadName() } == "ipnd-work\n")
    }

    /// Up to `threadsMax`; one more waits for a thread.
    @Test func `jobs that block do not keep others from running`() async {
        let pool = WorkerPool()
        let gate = Monitor((open: false, waiting: 0))
        let tasks = (0..<WorkerPool.threadsMax).map { _ in
            Task(executorPreference: pool) {
                gate.withLock { $0.waiting += 1 }
                gate.wait { $0.open ? .go(()) : .wait(until: .never) }
            }
        }
        #expect(
            await eventuallyYielding { gate.withLock { $0.waiting == WorkerPool.threadsMax } })
        let ran = Monitor(false)
        let late = Task(executorPreference: pool) { ran.withLock { $0 = true } }
        #expect(!ran.withLock { $0 })
        gate.withLock { $0.open = true }
        gate.wakeAll()
        for task in tasks { await task.value }
        await late.value
        #expect(ran.withLock { $0 })
    }

    @Test func `sleeping tasks wake in the order of their deadlines`() async throws {
        let pool = WorkerPool(clock: clock)
        let woken = Monitor([Int]())
        let tasks = [30, 10, 20].map { seconds in
            let deadline = clock.now.advanced(seconds: seconds)
            return Task(executorPreference: pool) {
                try await pool.wait(until: deadline)
                woken.withLock { $0.append(seconds) }
            }
        }
        for seconds in [10, 20, 30] {
            #expect(await eventuallyYielding { pool.sleeping == (40 - seconds) / 10 })
            clock.advance(seconds: 9)
            #expect(woken.withLock { $0.count } == seconds / 10 - 1)
            clock.advance(seconds: 1)
            #expect(await eventuallyYielding { woken.withLock { $0.count } == seconds / 10 })
        }
        for task in tasks { try await task.value }
        #expect(woken.withLock { $0 } == [10, 20, 30])
    }

    @Test func `a sleeping task can be cancelled before and while it sleeps`() async {
        let pool = WorkerPool(clock: clock)
        let deadline = clock.now.advanced(seconds: 60)
        let asleep = Task(executorPreference: pool) { try await pool.wait(until: deadline) }
        #expect(await eventuallyYielding { pool.sleeping == 1 })
        asleep.cancel()
        await #expect(throws: CancellationError.self) { try await asleep.value }
        #expect(pool.sleeping == 0)
        let early = Task(executorPreference: pool) {
            withUnsafeCurrentTask { $0?.cancel() }
            try await pool.wait(until: deadline)
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        #expect(pool.sleeping == 0)
    }

    @Test func `a deadline in the past ends at once`() async throws {
        let pool = WorkerPool(clock: clock)
        try await pool.wait(until: clock.now)
    }
}

private func threadName() -> String? {
    try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
}
