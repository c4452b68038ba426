import Platform
import Store
import TestSupport
import Testing

@testable import JournalStore

/// When the committer is woken: a wake-up for each of many submissions would cost each its own
/// synchronisation, and one that is forgotten would leave its sender without an answer.
@Suite(.ownThreads) struct SubmissionQueueTests {
    /// A committer that takes what it is woken for and notes how much that was.
    private final class Taker: Sendable {
        let queue: SubmissionQueue
        /// Stands still unless a test moves it: a wait ends because something happens.
        let clock = ManualClock()
        static let nextRoundMillisecondsMax = 5
        private let batches = Monitor([Int]())

        init() {
            var rounds = RoundOptions()
            rounds.submissionsMax = 3
            rounds.nextRoundNanosecondsMax = UInt64(Self.nextRoundMillisecondsMax) * 1_000_000
            queue = SubmissionQueue(
                submissionsMax: 100, bytesMax: 1 << 20, rounds: rounds, clock: clock)
        }

        /// Takes this many of a round, on this thread and before `start`.
        func takeRound(of count: Int) {
            for _ in 1...count { add(inRound: true) }
            var tasks: [CommitterTask] = []
            queue.take(&tasks, deadline: nil)
            #expect(tasks.count == count)
        }

        /// Notes that this many have their answers.
        func noteAnswersTaken(_ count: Int) {
            for _ in 1...count { queue.noteAnswerTaken() }
        }

        /// Takes three batches, or as many as `tasks` come in.
        func start(tasks count: Int? = nil) {
            PlatformThread.detached(name: "test-taker") { [self] in
                var tasks: [CommitterTask] = []
                while batches.withLock({ taken in
                    count.map { taken.reduce(0, +) < $0 } ?? (taken.count < 3)
                }) {
                    queue.take(&tasks, deadline: nil)
                    batches.withLock { $0.append(tasks.count) }
                    batches.wakeAll()
                    tasks.removeAll()
                }
            }
        }

        func add(inRound: Bool, byteCount: Int = 1, refusal expected: StoreRefusal? = nil) {
            let refusal = queue.add(
                .query { _ in }, byteCount: byteCount, inRound: inRound)
            #expect(refusal == expected)
        }

        /// The batches so far, as soon as there are `count`.
        func taken(_ count: Int) -> [Int] {
            wait { $0.count >= count }
            return batches.withLock { $0 }
        }

        /// Waits until this many tasks have been taken, in any number of batches; false after a
        /// minute.
        func awaitTasks(_ count: Int) -> Bool { wait { $0.reduce(0, +) >= count } }

        /// Only after everything that was added has been taken: who has been woken and does not run
        /// yet looks asleep.
        func awaitSleep() {
            #expect(eventually { queue.isAwaited })
        }

        /// Returns false after a minute.
        @discardableResult
        private func wait(until isSo: ([Int]) -> Bool) -> Bool {
            let guarding = SystemClock()
            let end = guarding.now.advanced(seconds: 60)
            let came = batches.wait { taken -> Monitor<[Int]>.Decision<Bool> in
                if isSo(taken) { return .go(true) }
                return guarding.now < end ? .wait(until: end) : .go(false)
            }
            if !came { Issue.record("the committer was not woken") }
            return came
        }
    }

    @Test func `submissions of a round wait for its end`() {
        let taker = Taker()
        taker.start()
        taker.awaitSleep()
        taker.add(inRound: true)
        taker.add(inRound: true)
        #expect(taker.queue.count == 2)
        taker.queue.flush()
        #expect(taker.taken(1) == [2])
        taker.awaitSleep()
        for _ in 1...3 { taker.add(inRound: true) }
        #expect(taker.taken(2) == [2, 3], "as many as are gathered at most need no call")
        taker.awaitSleep()
        taker.add(inRound: false)
        #expect(taker.taken(3) == [2, 3, 1], "who makes no call is not kept waiting")
    }

    @Test func `a busy committer leaves an unfinished round until it is complete`() {
        let taker = Taker()
        taker.add(inRound: true)
        taker.add(inRound: true)
        taker.start()
        taker.awaitSleep()
        #expect(taker.queue.count == 2)
        taker.queue.flush()
        #expect(taker.taken(1) == [2])
    }

    @Test func `what is announced waits for the round in progress`() {
        let taker = Taker()
        taker.add(inRound: true)
        taker.queue.flush()
        taker.add(inRound: true)
        taker.start()
        taker.awaitSleep()
        #expect(taker.queue.count == 2)
        taker.queue.flush()
        #expect(taker.taken(1) == [2])
    }

    /// A loop that is never at rest has begun its next round before the committer gets to run.
    @Test func `one announcement is enough`() {
        let taker = Taker()
        let rounds = 200
        taker.start(tasks: 2 * rounds)
        for round in 1...rounds {
            taker.awaitSleep()
            taker.add(inRound: true)
            taker.queue.flush()
            taker.add(inRound: true)
            guard taker.awaitTasks(2 * round - 1) else { return }
            // The second came with the first, or waits for the end of its round.
            taker.queue.flush()
            guard taker.awaitTasks(2 * round) else { return }
        }
    }

    @Test func `a few wait for the round that the answers begin`() {
        let taker = Taker()
        taker.takeRound(of: 3)
        taker.add(inRound: true)
        taker.start()
        taker.awaitSleep()
        // This round was in progress when the answers went out: theirs comes after it.
        taker.queue.flush()
        taker.noteAnswersTaken(2)
        taker.queue.flush()
        taker.awaitSleep()
        #expect(taker.queue.count == 1)
        taker.noteAnswersTaken(1)
        taker.add(inRound: true)
        taker.queue.flush()
        #expect(taker.taken(1) == [2])
    }

    /// The loop is quicker than the committer, which has tables to bring up to date.
    @Test func `a few do not wait for a round that has ended already`() {
        let taker = Taker()
        taker.takeRound(of: 3)
        taker.add(inRound: true)
        taker.queue.flush()
        taker.noteAnswersTaken(3)
        taker.queue.flush()
        taker.start()
        #expect(taker.taken(1) == [1])
    }

    /// A refusal is an answer, too, and is noted.
    @Test func `refusals are no answers to wait for`() {
        let taker = Taker()
        taker.takeRound(of: 3)
        taker.add(inRound: true)
        taker.add(inRound: true, byteCount: 1 << 20, refusal: .overloaded)
        taker.noteAnswersTaken(4)
        taker.queue.flush()
        taker.start()
        #expect(taker.taken(1) == [1])
    }

    @Test func `a few do not wait forever for a round that does not come`() {
        let taker = Taker()
        taker.takeRound(of: 3)
        taker.add(inRound: true)
        taker.queue.flush()
        taker.start()
        taker.awaitSleep()
        taker.clock.advance(milliseconds: Taker.nextRoundMillisecondsMax - 1)
        #expect(taker.queue.count == 1)
        taker.clock.advance(milliseconds: 1)
        #expect(taker.taken(1) == [1], "the callers are gone: nobody announces anything")
    }

    @Test func `half as many as were answered do not wait`() {
        let taker = Taker()
        // What was taken before the last batch does not matter.
        for _ in 1...2 { taker.takeRound(of: 4) }
        for _ in 1...2 { taker.add(inRound: true) }
        taker.queue.flush()
        taker.start()
        #expect(taker.taken(1) == [2])
    }

    @Test(arguments: [false, true])
    func `a question waits for no round`(comesWhileTheCommitterSleeps: Bool) {
        let taker = Taker()
        taker.takeRound(of: 5)
        taker.add(inRound: true)
        taker.queue.flush()
        if comesWhileTheCommitterSleeps {
            taker.start()
            taker.awaitSleep()
            taker.add(inRound: false)
        } else {
            taker.add(inRound: false)
            taker.start()
        }
        #expect(taker.taken(1) == [2])
    }

    @Test func `a closed queue waits for nobody`() {
        let taker = Taker()
        taker.takeRound(of: 10)
        taker.add(inRound: true)
        #expect(taker.queue.close(last: .query { _ in }))
        taker.start()
        #expect(taker.taken(1) == [2])
    }

    @Test func `one of no round takes those before it along`() {
        let taker = Taker()
        taker.start()
        taker.awaitSleep()
        taker.add(inRound: true)
        taker.add(inRound: false)
        #expect(taker.taken(1) == [2])
        for expected in [[2, 1], [2, 1, 1]] {
            taker.awaitSleep()
            taker.add(inRound: false)
            #expect(taker.taken(expected.count) == expected)
        }
    }
}
