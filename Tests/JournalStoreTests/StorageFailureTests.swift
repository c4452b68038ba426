import Journal
import Payments
import Store
import Synchronization
import TestSupport
import Testing

@testable import JournalStore

@Suite(.ownThreads) struct StorageFailureTests {
    /// Fills the first segment of a disk that has no room for a second one.
    private func fill(_ store: JournalStore, with storage: MemoryStorage) async -> [Receipt] {
        storage.setFull(true)
        var receipts: [Receipt] = []
        for index in 0..<400 {
            receipts.append(
                await store.record(
                    Samples.submission(
                        Samples.payment("E-\(index)", reference: "R-\(index)", transaction: nil))))
            if receipts.last?.sequence == nil { break }
        }
        return receipts
    }

    @Test func `a full disk refuses queries go on and room is used by itself`() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        let receipts = await fill(store, with: storage)
        #expect(receipts.last == Receipt(.refused(.noSpace)))
        let stored = receipts.count - 1
        #expect(stored > 20)
        #expect(store.statistics.spaceIsMissing)

        // What was refused left no trace; what was stored is there; a duplicate needs no room.
        #expect(await store.order(endpoint: "antom", reference: "R-\(stored)") == nil)
        #expect(await store.order(endpoint: "antom", reference: "R-0")?.sequences == [1])
        let again = await store.record(
            Samples.submission(Samples.payment("E-0", reference: "R-0", transaction: nil)))
        #expect(again.outcome == .duplicate(of: 1))
        let refused = Samples.submission(
            Samples.payment("E-\(stored)", reference: "R-\(stored)", transaction: nil))
        #expect(await store.record(refused) == Receipt(.refused(.noSpace)))

        storage.setFull(false)
        #expect(await store.record(refused).outcome == .recorded(UInt64(stored + 1)))
        #expect(!store.statistics.spaceIsMissing)
        await store.close()
        let restarted = try Samples.store(on: storage)
        #expect(await restarted.record(refused).outcome == .duplicate(of: UInt64(stored + 1)))
        await restarted.close()
    }

    @Test func `a segment that cannot be prepared is warned of once`() async throws {
        let storage = MemoryStorage()
        let warnings = Mutex<[String]>([])
        var environment = StoreEnvironment()
        environment.warn = { text in warnings.withLock { $0.append(text) } }
        var options = Samples.options
        options.journal.preparesInBackground = true
        let store = try Samples.store(on: storage, options, environment: environment)
        let stored = await fill(store, with: storage).count - 1
        let next = Samples.submission(
            Samples.payment("E-\(stored)", reference: "R", transaction: nil))
        #expect(await store.record(next) == Receipt(.refused(.noSpace)))
        await store.close()
        let told = warnings.withLock { $0.filter { $0.hasPrefix("the next segment") } }
        #expect(told.count == 1, "\(told)")
    }

    @Test func `a duplicate of an event that found no room is refused with it`() throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        let answers = Answers()
        storage.holdSyncs()
        answers.submit(Samples.submission(Samples.payment("E-0")), to: store)
        storage.waitForSync()
        storage.setFull(true)
        // A batch that needs more than what is left of the segment.
        let body = [UInt8](repeating: 65, count: 12_000)
        for index in 1...20 {
            for _ in 0..<2 {
                answers.submit(
                    Samples.submission(Samples.payment("E-\(index)"), body: body), to: store)
            }
        }
        storage.releaseSync(holding: false)
        answers.wait(for: 41)
        let refused = answers.all.filter { $0.outcome == .refused(.noSpace) }
        #expect(refused.count > 0)
        #expect(refused.count % 2 == 0)
        let sequences = answers.all.compactMap(\.sequence)
        #expect(sequences.count == 41 - refused.count)
        #expect(Set(sequences).count == (sequences.count - 1) / 2 + 1)
    }

    @Test func `a failed sync acknowledges nothing and ends the process`() throws {
        let storage = MemoryStorage()
        let failures = Mutex<[JournalError]>([])
        var environment = StoreEnvironment()
        environment.fatal = { error in failures.withLock { $0.append(error) } }
        let store = try Samples.store(on: storage, environment: environment)
        let answers = Answers()
        answers.submit(Samples.submission(Samples.payment("E-0")), to: store)
        answers.wait(for: 1)
        storage.failSyncs()
        storage.holdSyncs()
        answers.submit(Samples.submission(Samples.payment("E-1", reference: "REQ-2")), to: store)
        storage.waitForSync()
        answers.submit(Samples.submission(Samples.payment("E-2")), to: store)
        storage.releaseSync(holding: false)
        answers.wait(for: 2)
        #expect(failures.withLock { $0.map(\.reason) } == ["journal_fatal"])
        #expect(answers.all.map(\.outcome) == [.recorded(1), .refused(.failed), .refused(.failed)])
        let views = Views()
        views.look(at: "REQ-2", in: store)
        views.wait()
        #expect(views.last == nil)
    }

    @Test func `an event that was not stored is no duplicate later`() async throws {
        let storage = MemoryStorage()
        var environment = StoreEnvironment()
        environment.fatal = { _ in }
        let store = try Samples.store(on: storage, environment: environment)
        storage.failSyncs()
        let submission = Samples.submission(Samples.payment("E-1"))
        #expect(await store.record(submission).outcome == .refused(.failed))
        #expect(await store.record(submission).outcome == .refused(.failed))
        await store.close()
    }
}
