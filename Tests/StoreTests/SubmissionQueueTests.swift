import Foundation
import Synchronization
import Testing

@testable import Store

/// When the committer is woken: a wake-up for each of many submissions would cost each its own
/// synchronisation, and one that is forgotten would leave its sender without an answer.
struct SubmissionQueueTests {
    /// A committer that takes what it is woken for and notes how much that was.
    private final class Taker: Sendable {
        let queue: SubmissionQueue
        private let batches = Mutex<[Int]>([])

        /// With the default, a committer that waits without being told to stop waits for an hour.
        init(patienceNanoseconds: UInt64 = 3_600_000_000_000) {
            queue = SubmissionQueue(
                submissionsMax: 100, bytesMax: 1 << 20, deferredMax: 3,
                patienceNanoseconds: patienceNanoseconds)
        }

        /// Takes three batches, or as many as `tasks` come in; it has just answered so many.
        func start(tasks count: Int? = nil, answered: Int = 0) {
            Thread.detachNewThread { [self] in
                var tasks: [CommitterTask] = []
                while batches.withLock({ taken in
                    count.map { taken.reduce(0, +) < $0 } ?? (taken.count < 3)
                }) {
                    queue.swap(&tasks, deadline: nil, answered: answered)
                    batches.withLock { $0.append(tasks.count) }
                    tasks.removeAll()
                }
            }
        }

        func add(deferrable: Bool) {
            let refusal = queue.add(.query { _ in }, byteCount: 1, isDeferrable: deferrable)
            #expect(refusal == nil)
        }

        /// The batches so far, as soon as there are `count`.
        func taken(_ count: Int) -> [Int] {
            wait { batches.withLock { $0.count >= count } }
            return batches.withLock { $0 }
        }

        /// Waits until so many tasks have been taken, in however many batches; false in vain.
        func awaitTasks(_ count: Int) -> Bool {
            wait { batches.withLock { $0.reduce(0, +) >= count } }
            return batches.withLock { $0.reduce(0, +) >= count }
        }

        /// Only after everything that was added has been taken: who has been woken and does not run
        /// yet looks asleep.
        func awaitSleep() { wait { queue.isAwaited } }

        private func wait(until isSo: () -> Bool) {
            let deadline = ContinuousClock.now + .seconds(30)
            while !isSo() {
                guard ContinuousClock.now < deadline else {
                    Issue.record("the committer was not woken")
                    return
                }
                sched_yield()
            }
        }
    }

    @Test func deferrableSubmissionsWaitForTheEndOfTheirRound() {
        let taker = Taker()
        taker.start()
        taker.awaitSleep()
        taker.add(deferrable: true)
        taker.add(deferrable: true)
        #expect(taker.queue.count == 2)
        taker.queue.wakeForDeferred()
        #expect(taker.taken(1) == [2])
        taker.awaitSleep()
        for _ in 1...3 { taker.add(deferrable: true) }
        #expect(taker.taken(2) == [2, 3], "as many as are gathered at most need no call")
        taker.awaitSleep()
        taker.add(deferrable: false)
        #expect(taker.taken(3) == [2, 3, 1], "who makes no call is not kept waiting")
    }

    @Test func aBusyCommitterLeavesAnUnfinishedRoundUntilItIsComplete() {
        let taker = Taker()
        taker.add(deferrable: true)
        taker.add(deferrable: true)
        taker.start()
        taker.awaitSleep()
        #expect(taker.queue.count == 2)
        taker.queue.wakeForDeferred()
        #expect(taker.taken(1) == [2])
    }

    @Test func whatIsAnnouncedWaitsForTheRoundInProgress() {
        let taker = Taker()
        taker.add(deferrable: true)
        taker.queue.wakeForDeferred()
        taker.add(deferrable: true)
        taker.start()
        taker.awaitSleep()
        #expect(taker.queue.count == 2)
        taker.queue.wakeForDeferred()
        #expect(taker.taken(1) == [2])
    }

    /// A loop that is never at rest has begun its next round before the committer gets to run.
    @Test func oneAnnouncementIsEnough() {
        let taker = Taker()
        let rounds = 200
        taker.start(tasks: 2 * rounds)
        for round in 1...rounds {
            taker.awaitSleep()
            taker.add(deferrable: true)
            taker.queue.wakeForDeferred()
            taker.add(deferrable: true)
            guard taker.awaitTasks(2 * round - 1) else { return }
            // The second came along with the first, or waits for the end of its own round.
            taker.queue.wakeForDeferred()
            guard taker.awaitTasks(2 * round) else { return }
        }
    }

    @Test func aFewWaitForTheRoundThatTheAnswersBegin() {
        let taker = Taker()
        taker.add(deferrable: true)
        taker.queue.wakeForDeferred()
        taker.start(answered: 3)
        taker.awaitSleep()
        taker.add(deferrable: true)
        taker.queue.wakeForDeferred()
        #expect(taker.taken(1) == [2])
    }

    @Test func aFewDoNotWaitForeverForARoundThatDoesNotCome() {
        let taker = Taker(patienceNanoseconds: 1_000_000)
        taker.add(deferrable: true)
        taker.queue.wakeForDeferred()
        taker.start(answered: 3)
        #expect(taker.taken(1) == [1], "the callers are gone: nobody announces anything")
    }

    @Test func halfAsManyAsWereAnsweredDoNotWait() {
        let taker = Taker()
        for _ in 1...2 { taker.add(deferrable: true) }
        taker.queue.wakeForDeferred()
        taker.start(answered: 4)
        #expect(taker.taken(1) == [2])
    }

    @Test func aClosedQueueWaitsForNobody() {
        let taker = Taker()
        taker.add(deferrable: true)
        #expect(taker.queue.close(last: .query { _ in }))
        taker.start(answered: 10)
        #expect(taker.taken(1) == [2])
    }

    @Test func oneThatCannotBeDeferredTakesThoseBeforeItAlong() {
        let taker = Taker()
        taker.start()
        taker.awaitSleep()
        taker.add(deferrable: true)
        taker.add(deferrable: false)
        #expect(taker.taken(1) == [2])
        for expected in [[2, 1], [2, 1, 1]] {
            taker.awaitSleep()
            taker.add(deferrable: false)
            #expect(taker.taken(expected.count) == expected)
        }
    }
}
