import Cryptography
import Journal
import Payments
import Platform
import Store

/// The embedded store: an append-only journal, and tables in memory that are rebuilt from it.
///
/// Any number of tasks may call it. Their submissions wait in a bounded queue; one thread, the
/// committer, records them and resumes the tasks.
package final class JournalStore: Store {
    /// The report of the journal's recovery.
    package let recovery: RecoveryReport
    /// The identity of the journal. A sequence is valid only together with it.
    package let identity: StoreIdentity
    let queue: SubmissionQueue
    private let counters = StoreCounters()
    /// Announces durable records to readers.
    package let commitFeed = CommitFeed()
    /// The order rows of the newest durable records, for the index.
    package let recent: RecentOrders
    /// The keys of its records; nil while they are stored as they are.
    package let keys: RecordKeys?

    /// Opens or creates the journal in `directory`, rebuilds the tables, and starts the committer.
    ///
    /// Throws what `JournalWriter.open` throws; a record that cannot be read is `refused` there,
    /// with file and offset. Throws `keys` where the keys of sealed records cannot be used.
    package init(
        directory: String, storage: any Storage = PosixStorage(),
        options: JournalStoreOptions = .init(), environment: StoreEnvironment = .init()
    ) throws(JournalError) {
        if let mistake = options.mistake { throw .options(mistake) }
        var loader = StoreLoader(factsMax: options.orderFactsMax)
        var journal: JournalWriter
        do {
            journal = try loader.open(directory, storage, options.journal)
        } catch .damaged(let damage) where damage.reason == .segmentMissing {
            // Retention has deleted the beginning. A snapshot of another `orderFactsMax` may cover
            // it.
            loader = StoreLoader(factsMax: options.orderFactsMax, takesAnySnapshot: true)
            journal = try loader.open(directory, storage, options.journal)
        }
        if !loader.lateCorrections.isEmpty {
            // Facts cannot be removed, so what is corrected must not be applied at all.
            journal.close()
            loader = StoreLoader(
                factsMax: options.orderFactsMax, corrections: loader.lateCorrections)
            journal = try loader.open(directory, storage, options.journal)
        }
        let journalKeys: JournalKeys?
        do throws(JournalError) {
            journalKeys = try JournalKeys.open(
                journal, options.masterKeys, erased: loader.erased)
        } catch {
            journal.close()
            throw error
        }
        keys = journalKeys?.keys
        recovery = journal.recovery
        identity = journal.identity
        // Before the first query: a consumer's position must not seem to be beyond the end.
        _ = commitFeed.publish(journal.durableSequence, [])
        queue = SubmissionQueue(
            submissionsMax: options.queueSubmissionsMax, bytesMax: options.queueBytesMax,
            rounds: options.rounds, clock: environment.clock)
        recent = RecentOrders(bytesMax: options.recentBytesMax)
        let committer = Committer(
            journal: journal, keys: journalKeys, tables: loader.finish(), queue: queue,
            counters: counters, commitFeed: commitFeed, recent: recent, options: options,
            environment: environment)
        PlatformThread.detached(name: "ipnd-journal") { committer.run() }
    }

    package func record(_ submission: consuming Submission) async -> Receipt {
        let byteCount = submission.byteCount
        // The answer to an inquiry belongs to no round of requests: no end of one follows it.
        let isInRound = submission.inquiry == nil
        let queued = QueuedSubmission(submission)
        let receipt = await withUnsafeContinuation { continuation in
            let refusal = queue.add(
                .record(queued, continuation), byteCount: byteCount, inRound: isInRound)
            if let refusal { continuation.resume(returning: Receipt(.refused(refusal))) }
        }
        if isInRound { queue.noteAnswerTaken() }
        return receipt
    }

    package func record(_ events: [Submission]) async -> [Receipt] {
        let byteCount = events.sharedByteCount
        let queued = events.map { QueuedSubmission($0) }
        let receipts = await withUnsafeContinuation { continuation in
            let refusal = queue.add(
                .recordAll(queued, continuation), byteCount: byteCount, count: queued.count,
                inRound: true)
            if let refusal {
                continuation.resume(returning: queued.map { _ in Receipt(.refused(refusal)) })
            }
        }
        queue.noteAnswerTaken()
        return receipts
    }

    /// Ends a round of submissions: one loop has submitted what was ready. Call it after each round
    /// when `JournalStoreOptions.rounds` gathers them.
    package func flush() { queue.flush() }

    package func register(_ registration: Registration) async -> Receipt {
        await withUnsafeContinuation { continuation in
            let refusal = queue.add(
                .register(registration, continuation), byteCount: registration.metadata.count)
            if let refusal { continuation.resume(returning: Receipt(.refused(refusal))) }
        }
    }

    package func act(_ act: Act) async -> ActReceipt {
        ActReceipt(
            await withUnsafeContinuation { continuation in
                let refusal = queue.add(.act(act, continuation), byteCount: act.byteCount)
                if let refusal { continuation.resume(returning: Receipt(.refused(refusal))) }
            })
    }

    package func order(endpoint: String, reference: String) async -> OrderView? {
        await query { $0.order(endpoint: endpoint, reference: reference) } ?? nil
    }

    package func order(endpoint: String, unjoined id: String) async -> OrderView? {
        await query { $0.order(endpoint: endpoint, unjoined: id) } ?? nil
    }

    /// Returns the order of an endpoint that holds one of the provider's transactions, also one
    /// without a reference.
    package func order(endpoint: String, transaction: String) async -> OrderView? {
        await query { $0.order(endpoint: endpoint, transaction: transaction) } ?? nil
    }

    package func orders(knownAs text: String, endpoint: String?) async -> [OrderView] {
        await query { $0.orders(knownAs: text, endpoint: endpoint) } ?? []
    }

    /// Returns the orders of these names, in their order; nil when the store is closed. Blocks its
    /// thread until the committer has answered: not for tasks.
    package func orders(_ keys: [OrderKey]) -> [OrderView?]? {
        // No `WakeSignal`: each keeps a descriptor as long as the process lives.
        let answer = Monitor<[OrderView?]?>(nil)
        let isTaken = queue.add(
            query: .query { tables in
                let found = keys.map { tables.order($0) }
                answer.withLock { $0 = found }
                answer.wakeAll()
            })
        guard isTaken else { return nil }
        return answer.wait { $0.map { .go($0) } ?? .wait(until: .never) }
    }

    package func close() async {
        await withUnsafeContinuation { continuation in
            if !queue.close(last: .close(continuation)) { continuation.resume() }
        }
    }

    /// The counters now. Cheap, from any thread.
    package var statistics: StoreStatistics { counters.read(queueLength: queue.count) }

    /// Runs `look` on the committer's thread between two batches, when the tables have only durable
    /// records. Returns nil when the store is closed.
    func query<Answer: Sendable>(
        _ look: @escaping @Sendable (borrowing StoreTables) -> Answer
    ) async -> Answer? {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Answer?, Never>) in
            let isTaken = queue.add(
                query: .query { tables in continuation.resume(returning: look(tables)) })
            if !isTaken { continuation.resume(returning: nil) }
        }
    }
}
