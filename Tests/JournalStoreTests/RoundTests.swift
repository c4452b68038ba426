import TestSupport
import Testing

@testable import JournalStore

/// The committer with callers that bring many submissions in a round, and announce its
/// end: as few syncs as possible, and no answer is left out.
@Suite(.ownThreads) struct RoundTests {
    private let storage = MemoryStorage()
    private let answers = Answers()

    /// Moves only when a test moves it: an answered caller did not wait for a deadline.
    private let clock = ManualClock()

    private func store() throws -> JournalStore {
        var options = Samples.options
        options.rounds.submissionsMax = 100
        options.rounds.nextRoundNanosecondsMax = 5_000_000
        var environment = StoreEnvironment()
        environment.clock = clock
        return try Samples.store(on: storage, options, environment: environment)
    }

    private func submit(_ numbers: ClosedRange<Int>, to store: JournalStore) {
        for number in numbers {
            answers.submit(Samples.submission(Samples.payment("E-\(number)")), to: store)
        }
        store.flush()
    }

    @Test func `a few that wait share the sync of the next round`() throws {
        let store = try store()
        storage.holdSyncs()
        submit(1...10, to: store)
        storage.waitForSync()
        submit(11...12, to: store)
        storage.releaseSync()
        answers.wait(for: 10)
        awaitCommitter(of: store)
        #expect(store.queue.count == 2)
        // The ten answers bring the next one.
        submit(13...13, to: store)
        storage.waitForSync()
        storage.releaseSync(holding: false)
        answers.wait(for: 3)
        #expect(store.statistics.batches == 2)
    }

    /// The loop is quicker than the committer, which has tables to bring up to date.
    @Test func `a round that ends before the committer looks is not waited for`() throws {
        let store = try store()
        storage.holdSyncs()
        submit(1...10, to: store)
        storage.waitForSync()
        submit(11...11, to: store)
        storage.releaseSync(holding: false)
        answers.wait(for: 10)
        store.flush()
        answers.wait(for: 1)
        #expect(store.statistics.batches == 2)
    }

    @Test func `as many as were answered wait for nobody`() throws {
        let store = try store()
        storage.holdSyncs()
        submit(1...10, to: store)
        storage.waitForSync()
        submit(11...20, to: store)
        expectAnswers(20)
        #expect(store.statistics.batches == 2)
    }

    /// A loop whose connections have all gone has nothing more to bring or to say.
    @Test func `a few are not kept forever`() throws {
        let store = try store()
        storage.holdSyncs()
        submit(1...10, to: store)
        storage.waitForSync()
        submit(11...11, to: store)
        storage.releaseSync(holding: false)
        answers.wait(for: 10)
        awaitCommitter(of: store)
        clock.advance(milliseconds: 4)
        #expect(store.queue.count == 1)
        clock.advance(milliseconds: 1)
        answers.wait(for: 1)
        #expect(store.statistics.batches == 2)
    }

    /// The merchant's side is another loop, which announces nothing.
    @Test func `answers to the merchant begin no round`() throws {
        let store = try store()
        let merchant = InlineExecutor()
        storage.holdSyncs()
        submit(1...1, to: store)
        storage.waitForSync()
        for number in 1...5 {
            Task(executorPreference: merchant) {
                _ = await store.register(RegistrationTests.registration("REQ-\(number)"))
            }
        }
        storage.releaseSync()
        storage.waitForSync()
        submit(2...2, to: store)
        expectAnswers(2)
    }

    /// Waits until the committer sleeps, or has taken what there was.
    private func awaitCommitter(of store: JournalStore) {
        #expect(eventually { store.queue.isAwaited || store.queue.count == 0 })
    }

    /// Lets the sync that waits return, and all others; the answers must come though no wait ends
    /// with its time.
    private func expectAnswers(_ count: Int) {
        storage.releaseSync(holding: false)
        answers.wait(for: count)
    }
}
