import Journal
import Payments
import Store
import TestSupport
import Testing

@testable import JournalStore

/// Nobody is answered before the sync that makes the answer true has returned. The tests hold the
/// sync, so that "before" is a state that can be looked at.
@Suite(.ownThreads) struct GroupCommitTests {
    /// Fifty submissions of one event while the disk is busy with another: they share one batch.
    ///
    /// Returns the receipts that came before the sync of that batch returned, and all of them.
    private func fiftyInOneBatch(
        _ environment: StoreEnvironment
    ) throws -> (early: [Receipt], all: [Receipt], records: Int) {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage, environment: environment)
        let first = Answers()
        let fifty = Answers()
        storage.holdSyncs()
        first.submit(Samples.submission(Samples.payment("FIRST")), to: store)
        storage.waitForSync()
        let submission = Samples.submission(Samples.payment("E-1", reference: "REQ-2"))
        for _ in 0..<50 { fifty.submit(submission, to: store) }
        storage.releaseSync()
        first.wait(for: 1)
        storage.waitForSync()
        let early = fifty.all
        storage.releaseSync(holding: false)
        fifty.wait(for: 50)
        return (early, fifty.all, store.statistics.records)
    }

    @Test func `fifty of one event in one batch wait for the same sync`() throws {
        let (early, all, records) = try fiftyInOneBatch(StoreEnvironment())
        #expect(early.isEmpty)
        #expect(records == 2)
        #expect(all.count { $0.outcome == .recorded(2) } == 1)
        #expect(all.count { $0.outcome == .duplicate(of: 2) } == 49)
    }

    @Test func `a pending duplicate taken for durable is caught`() throws {
        var environment = StoreEnvironment()
        environment.plantedDefect = .treatsPendingAsDurable
        let (early, _, _) = try fiftyInOneBatch(environment)
        #expect(early.count == 49, "the planted defect went unnoticed")
    }

    @Test func `answering before the sync is caught`() throws {
        var environment = StoreEnvironment()
        environment.plantedDefect = .answersBeforeSync
        let (early, _, _) = try fiftyInOneBatch(environment)
        #expect(early.count == 50, "the planted defect went unnoticed")
    }

    @Test func `what arrives while the disk is busy shares the next sync`() throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        let before = storage.syncs
        let answers = Answers()
        storage.holdSyncs()
        answers.submit(Samples.submission(Samples.payment("E-0")), to: store)
        storage.waitForSync()
        for index in 1...200 {
            answers.submit(Samples.submission(Samples.payment("E-\(index)")), to: store)
        }
        #expect(answers.count == 0)
        #expect(store.statistics.queueLength == 200)
        storage.releaseSync(holding: false)
        answers.wait(for: 201)
        #expect(Set(answers.all.compactMap(\.sequence)) == Set(1...201))
        // 200 records are more than one of the small test frames holds, but far fewer syncs than
        // records.
        #expect(storage.syncs - before < 10)
        #expect(store.statistics.batchRecordsMax > 50)
    }

    @Test func `a duplicate of a durable event does not wait for the batch that it is in`() throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        let answers = Answers()
        answers.submit(Samples.submission(Samples.payment("E-1")), to: store)
        answers.wait(for: 1)
        storage.holdSyncs()
        answers.submit(Samples.submission(Samples.payment("E-2")), to: store)
        storage.waitForSync()
        answers.submit(Samples.submission(Samples.payment("E-1")), to: store)
        answers.submit(Samples.submission(Samples.payment("E-3")), to: store)
        storage.releaseSync()
        answers.wait(for: 2)
        // The second sync, of E-3, has begun and waits.
        storage.waitForSync()
        #expect(answers.all.map(\.outcome) == [.recorded(1), .recorded(2), .duplicate(of: 1)])
        storage.releaseSync(holding: false)
        answers.wait(for: 1)
    }

    @Test func `queries see only what is durable`() throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        let answers = Answers()
        let views = Views()
        storage.holdSyncs()
        answers.submit(Samples.submission(Samples.payment("E-1")), to: store)
        storage.waitForSync()
        views.look(at: "REQ-1", in: store)
        #expect(views.count == 0)
        storage.releaseSync(holding: false)
        views.wait()
        #expect(views.last?.sequences == [1])
        #expect(answers.count == 1)
    }

    @Test func `a quiet second is marked in the journal by itself`() throws {
        let storage = MemoryStorage()
        var options = Samples.options
        options.idleMarkerSeconds = 1
        let store = try Samples.store(on: storage, options)
        let answers = Answers()
        answers.submit(Samples.submission(Samples.payment("E-1")), to: store)
        answers.wait(for: 1)
        storage.holdSyncs()
        storage.waitForSync()
        #expect(store.statistics.batches == 1, "the sync is the marker's, not a batch's")
        storage.releaseSync(holding: false)
    }

    @Test func `beyond its limit the queue refuses at once`() throws {
        let storage = MemoryStorage()
        var options = Samples.options
        options.queueSubmissionsMax = 3
        let store = try Samples.store(on: storage, options)
        let answers = Answers()
        storage.holdSyncs()
        answers.submit(Samples.submission(Samples.payment("E-0")), to: store)
        storage.waitForSync()
        for index in 1...5 {
            answers.submit(Samples.submission(Samples.payment("E-\(index)")), to: store)
        }
        #expect(answers.all.map(\.outcome) == [.refused(.overloaded), .refused(.overloaded)])
        storage.releaseSync(holding: false)
        answers.wait(for: 6)
        #expect(answers.all.compactMap(\.sequence).sorted() == [1, 2, 3, 4])
    }

    @Test func `the queue is bounded in bytes too`() throws {
        let storage = MemoryStorage()
        var options = Samples.options
        options.queueBytesMax = 20_000
        let store = try Samples.store(on: storage, options)
        let answers = Answers()
        storage.holdSyncs()
        answers.submit(Samples.submission(Samples.payment("E-0")), to: store)
        storage.waitForSync()
        let body = [UInt8](repeating: 65, count: 8_000)
        for index in 1...3 {
            answers.submit(Samples.submission(Samples.payment("E-\(index)"), body: body), to: store)
        }
        #expect(answers.all.map(\.outcome) == [.refused(.overloaded)])
        storage.releaseSync(holding: false)
        answers.wait(for: 4)
    }
}
