import Journal
import Ledger
import Payments
import Platform
import Records
import Store

/// The one thread that owns the journal and everything that is remembered: no locks but the
/// queue's.
///
/// Its loop is the group commit: take all that waits, decide each submission, encode its record
/// into the frame, write and sync the frame once, answer all. While the disk is busy, the next
/// batch gathers; a round of a loop that is in progress then is taken whole.
final class Committer {
    let journal: JournalWriter
    let queue: SubmissionQueue
    let counters: StoreCounters
    let options: JournalStoreOptions
    let environment: StoreEnvironment
    /// When the journal's place is looked at again though nothing is written.
    var nextPlaceCheck: UInt64 = 0
    /// It has been said that the next segment cannot be prepared.
    var warnedOfPreparation = false
    static let placeCheckNanoseconds: UInt64 = 1_000_000_000
    /// Of the snapshot that is being written.
    var snapshotPace: WritingPace?
    var ledger: JournalLedger
    var duties: CommitterDuties

    let commitFeed: CommitFeed
    /// The tasks that wait for the frame that is being built, and their receipts.
    var waiting: [(UnsafeContinuation<Receipt, Never>, Receipt)] = []
    /// The heads of this batch's records, kept while a follower takes them.
    var heads = RecordHeads()
    let recent: RecentRecords
    /// The orders that this batch changes, noted while a reader watches an order.
    var changedOrders: [OrderName] = []
    var queries: [@Sendable (borrowing StoreTables) -> Void] = []
    var conflicts = 0
    var ignored = 0
    /// What ended the journal. In service the process has ended with it; a test's handler returns.
    var failure: JournalError?

    var hasFailed: Bool { failure != nil }

    init(
        journal: JournalWriter, tables: StoreTables, queue: SubmissionQueue,
        counters: StoreCounters, commitFeed: CommitFeed, recent: RecentRecords,
        options: JournalStoreOptions, environment: StoreEnvironment
    ) {
        self.journal = journal
        ledger = JournalLedger(tables, factsMax: options.orderFactsMax)
        self.queue = queue
        self.counters = counters
        self.commitFeed = commitFeed
        self.recent = recent
        self.options = options
        self.environment = environment
        let snapshot = journal.recovery.snapshot ?? 0
        duties = CommitterDuties(options: options, snapshot: snapshot)
        beginDuties(after: snapshot)
    }

    /// Serves the queue until the store is closed.
    func run() {
        noteRemembered()
        if commitFeed.publish(ledger.tables.sequence, []) { commitFeed.announce() }
        var tasks: [CommitterTask] = []
        var closing: UnsafeContinuation<Void, Never>?
        while true {
            queue.take(&tasks, deadline: duties.deadline)
            for (index, task) in tasks.enumerated() {
                let place = index % JournalLedger.submissionsAheadMax
                if place == 0 {
                    ledger.lookAhead(tasks[index...].prefix(JournalLedger.submissionsAheadMax))
                }
                switch task {
                case .record(let queued, let continuation):
                    record(queued.submission, continuation, at: place)
                case .register(let registration, let continuation):
                    register(registration, continuation)
                case .act(let act, let continuation): self.act(act, continuation)
                case .query(let query): queries.append(query)
                case .snapshotEnded(let error): endSnapshot(error)
                case .close(let continuation): closing = continuation
                }
            }
            tasks.removeAll(keepingCapacity: true)
            commit()
            answerQueries()
            performDuties(isClosing: closing != nil)
            if let closing, !duties.isWritingSnapshot { return close(closing) }
        }
    }

    /// Decides one submission and puts its record into the frame.
    private func record(
        _ submission: Submission, _ continuation: UnsafeContinuation<Receipt, Never>, at place: Int
    ) {
        guard makeRoom() else { return continuation.resume(returning: Receipt(.refused(.failed))) }
        let decision = ledger.decide(
            submission, at: place, sequence: journal.nextSequence)
        switch consume decision {
        case .duplicate(let original):
            counters.countDuplicate()
            let receipt = Receipt(
                .duplicate(of: original), reference: submission.notification.reference)
            answer(continuation, receipt, after: original)
        case .record(let change):
            let refusal = append { bytes, encodesBodyAsBase64 in
                RecordEncoder.append(
                    change.content, of: submission,
                    encodesBodyAsBase64: encodesBodyAsBase64, to: &bytes)
            }
            if let refusal { return continuation.resume(returning: Receipt(.refused(refusal))) }
            waiting.append((continuation, Receipt(change)))
            if change.content.outcome == .conflict { conflicts += 1 }
            if change.content.outcome == .ignored { ignored += 1 }
            accept(change, submission.endpoint, received: submission.received)
        }
    }

    /// Commits when the frame is full. False when nothing can be recorded any more.
    func makeRoom() -> Bool {
        if journal.isFrameFull { commit() }
        return failure == nil
    }

    /// Answers with what the record `original` says, as soon as that record is durable.
    func answer(
        _ continuation: UnsafeContinuation<Receipt, Never>, _ receipt: Receipt,
        after original: UInt64
    ) {
        let isPending = ledger.isPending(original)
        if isPending && environment.plantedDefect != .treatsPendingAsDurable {
            waiting.append((continuation, receipt))
        } else {
            continuation.resume(returning: receipt)
        }
    }

    /// Takes into the batch what is in the frame.
    func accept(_ change: consuming EventChange, _ endpoint: String, received: Timestamp) {
        if commitFeed.watchesOrders { noteChanged(change, endpoint) }
        ledger.batch.accept(change, received: received)
    }

    /// A reader may watch the order under an alias, or under a reference that is now part of it.
    private func noteChanged(_ change: borrowing EventChange, _ endpoint: String) {
        var names = change.references
        names += change.content.order?.absorbed ?? []
        for name in names { changedOrders.append(OrderName(endpoint: endpoint, reference: name)) }
    }

    /// Encodes a record straight into the frame, or says why not. `encode` returns where the
    /// record's head ends.
    func append(
        _ encode: (_ bytes: inout [UInt8], _ encodesBodyAsBase64: Bool) -> Int
    ) -> StoreRefusal? {
        for encodesBodyAsBase64 in [false, true] {
            do {
                var head = 0..<0
                let sequence = try journal.append { bytes in
                    let start = bytes.count
                    head = start..<encode(&bytes, encodesBodyAsBase64)
                }
                if recent.isFollowed { heads.append(sequence, journal.pendingBytes[head]) }
                return nil
            } catch {
                // Base64 is a third longer than the bytes, escapes can be six times as long: it
                // gets a second chance.
                if case .recordTooLong = error { continue }
                fail(error)
                return .failed
            }
        }
        return .recordTooLong
    }
}
