import Journal
import Payments

/// The one thread that owns the journal and everything that is remembered: no locks but the queue's.
///
/// Its loop is the group commit: take all that waits, decide each submission, encode its record into the frame, write
/// and sync the frame once, answer all. No timer delays anything: while the disk is busy, the next batch gathers.
final class Committer {
    let journal: JournalWriter
    let queue: SubmissionQueue
    let counters: StoreCounters
    let options: JournalStoreOptions
    let environment: StoreEnvironment
    var tables: StoreTables
    var duties: CommitterDuties

    private var batch: PendingBatch
    /// Who waits for the frame that is being built, and what they will be told.
    private var waiting: [(UnsafeContinuation<Receipt, Never>, Receipt)] = []
    private var queries: [@Sendable (borrowing StoreTables) -> Void] = []
    private var conflicts = 0
    private var ignored = 0

    init(
        journal: JournalWriter, tables: StoreTables, queue: SubmissionQueue,
        counters: StoreCounters, options: JournalStoreOptions, environment: StoreEnvironment
    ) {
        self.journal = journal
        self.tables = tables
        self.queue = queue
        self.counters = counters
        self.options = options
        self.environment = environment
        batch = PendingBatch(function: tables.function)
        duties = CommitterDuties(options: options, sequence: tables.sequence)
    }

    /// Serves the queue until the store is closed.
    func run() {
        counters.setRemembered(events: tables.eventCount, orders: tables.orderCount)
        var tasks: [CommitterTask] = []
        while true {
            queue.swap(&tasks, deadline: duties.deadline)
            var closing: UnsafeContinuation<Void, Never>?
            for task in tasks {
                switch task {
                case .record(let submission, let continuation): record(submission, continuation)
                case .query(let query): queries.append(query)
                case .close(let continuation): closing = continuation
                }
            }
            let isQuiet = tasks.isEmpty
            tasks.removeAll(keepingCapacity: true)
            commit()
            answerQueries()
            if let closing { return close(closing) }
            performDuties(isQuiet: isQuiet)
        }
    }

    /// Decides one submission and puts its record into the frame.
    private func record(
        _ submission: Submission, _ continuation: UnsafeContinuation<Receipt, Never>
    ) {
        if journal.isFrameFull { commit() }
        let endpoint = tables.endpoints.number(of: submission.endpoint)
        let decision = batch.decide(
            submission.notification, endpoint: endpoint, sequence: journal.nextSequence, in: tables)
        switch decision {
        case .duplicate(let original):
            counters.countDuplicate()
            let receipt = Receipt(
                .duplicate(of: original), reference: submission.notification.reference)
            let isPending = batch.holds(original, in: tables)
            if isPending && environment.plantedDefect != .treatsPendingAsDurable {
                waiting.append((continuation, receipt))
            } else {
                continuation.resume(returning: receipt)
            }
        case .record(let change):
            guard append(change, of: submission) else {
                return continuation.resume(returning: Receipt(.refused(.recordTooLong)))
            }
            batch.accept(change, received: submission.received)
            waiting.append((continuation, change.receipt))
            if change.outcome == .conflict { conflicts += 1 }
            if change.outcome == .ignored { ignored += 1 }
        }
    }

    /// Encodes the record straight into the frame; false when it is too long even in Base64.
    private func append(_ change: EventChange, of submission: Submission) -> Bool {
        let content = change.content
        for encodesBodyAsBase64 in [false, true] {
            do {
                try journal.append { bytes in
                    RecordEncoder.append(
                        content, of: submission, encodesBodyAsBase64: encodesBodyAsBase64,
                        to: &bytes)
                }
                return true
            } catch {
                guard case .recordTooLong = error else { stop(error) }
            }
        }
        return false
    }

    /// Makes the frame durable, then answers everyone who waits for it.
    private func commit() {
        if environment.plantedDefect == .answersBeforeSync { answerWaiting() }
        if !batch.isEmpty {
            let records = journal.pendingCount
            let start = StoreThread.now
            do { try journal.commit() } catch {
                switch error {
                case .noSpace, .needsSegment: return refuseBatch()
                default: stop(error)
                }
            }
            counters.countBatch(
                records: records, conflicts: conflicts, ignored: ignored,
                nanoseconds: Int(StoreThread.now - start))
            counters.setSpaceIsMissing(false)
        }
        answerWaiting()
        finishBatch()
    }

    private func answerWaiting() {
        for (continuation, receipt) in waiting { continuation.resume(returning: receipt) }
        waiting.removeAll(keepingCapacity: true)
    }

    /// The callers are on their way already; now the tables learn what is durable.
    private func finishBatch() {
        conflicts = 0
        ignored = 0
        guard !batch.isEmpty else { return }
        batch.apply(to: &tables)
        counters.setRemembered(events: tables.eventCount, orders: tables.orderCount)
    }

    /// Nothing was written and the journal forgot the records: so does everything else. Duplicates of this batch's
    /// events are refused with it, for what they repeat is not durable.
    private func refuseBatch() {
        counters.setSpaceIsMissing(true)
        batch.drop()
        conflicts = 0
        ignored = 0
        for (continuation, _) in waiting {
            continuation.resume(returning: Receipt(.refused(.noSpace)))
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private func answerQueries() {
        for query in queries { query(tables) }
        queries.removeAll(keepingCapacity: true)
    }

    /// What is on disk is unknown, so nobody may be told anything any more.
    func stop(_ error: JournalError) -> Never {
        environment.fatal(error)
    }
}
