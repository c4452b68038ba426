import Journal
import Ledger
import Payments
import Platform
import Records
import Store

/// The thread that owns the journal and everything that is remembered. Its only lock is the
/// queue's.
///
/// Its loop is the group commit: take all that waits, decide each submission, encode its record
/// into the frame, write and sync the frame once, answer all. While the disk is busy, the next
/// batch gathers; a round of a loop that is in progress then is taken whole.
final class Committer {
    private let journal: JournalWriter
    private let queue: SubmissionQueue
    private let counters: StoreCounters
    private let commitFeed: CommitFeed
    private let recent: RecentOrders
    private let options: JournalStoreOptions
    private let environment: StoreEnvironment
    private var ledger: JournalLedger
    private var duties: CommitterDuties
    private var batch = CommitterBatch()
    private var sealing: RecordSealing
    private var queries: [@Sendable (borrowing StoreTables) -> Void] = []
    private var preparation = PreparationWarning()
    /// Of the snapshot that is being written.
    private var snapshotPace: WritingPace?
    /// The error that ended the journal. The process ends with it; a test's handler returns.
    private var failure: JournalError?

    init(
        journal: JournalWriter, keys: JournalKeys?, tables: StoreTables, queue: SubmissionQueue,
        counters: StoreCounters, commitFeed: CommitFeed, recent: RecentOrders,
        options: JournalStoreOptions, environment: StoreEnvironment
    ) {
        self.journal = journal
        sealing = RecordSealing(keys, environment)
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
                case .recordAll(let events, let continuation): recordAll(events, continuation)
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

    // MARK: - Decisions

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
            accept(change, submission.endpoint, submission.received, continuation) { content in
                OrderRow(
                    content, endpoint: submission.endpoint, received: submission.received,
                    named: submission.notification.reference,
                    alias: submission.notification.alias)
            }
        }
    }

    /// Records the events of one request in one frame, or refuses all of them.
    private func recordAll(
        _ events: [QueuedSubmission], _ continuation: UnsafeContinuation<[Receipt], Never>
    ) {
        guard environment.plantedDefect == .splitsRequests else {
            return answer(continuation, record(events))
        }
        var receipts: [Receipt] = []
        for event in events {
            receipts += record([event])
            commit()
        }
        continuation.resume(returning: receipts)
    }

    private func record(_ events: [QueuedSubmission]) -> [Receipt] {
        var refusal = StoreRefusal.failed
        // A request that does not fit beside the records of this frame gets the next one.
        attempts: for isAlone in [false, true] {
            guard makeRoom() else { break }
            var request = SharedRequest(watchesOrders: commitFeed.watchesOrders)
            do throws(JournalError) {
                try request.record(events, in: journal, sealing: &sealing.sealer, &ledger)
            } catch {
                switch error {
                case .frameFull where !isAlone && !ledger.batch.isEmpty:
                    commit()
                    continue attempts
                case .frameFull, .recordTooLong: refusal = .recordTooLong
                default: fail(error)
                }
                break attempts
            }
            for _ in 0..<request.duplicates { counters.countDuplicate() }
            batch.add(request, keepsRows: recent.isFollowed)
            return request.receipts
        }
        return events.map { _ in Receipt(.refused(refusal)) }
    }

    /// Decides one registration and puts its record into the frame.
    private func register(
        _ given: Registration, _ continuation: UnsafeContinuation<Receipt, Never>
    ) {
        guard makeRoom() else { return continuation.resume(returning: Receipt(.refused(.failed))) }
        var registration = given
        let decision = ledger.decide(
            &registration, sealing: &sealing.sealer, sequence: journal.nextSequence)
        switch consume decision {
        case .same(let original):
            let receipt = Receipt(.duplicate(of: original), reference: registration.reference)
            answer(continuation, receipt, after: original)
        case .differs(let original):
            let receipt = Receipt(.conflict(original), reference: registration.reference)
            answer(continuation, receipt, after: original)
        case .refused(let denial):
            answer(continuation, Receipt(.denied(denial)), after: journal.nextSequence - 1)
        case .record(let change):
            let refusal = append { [registration] bytes, _ in
                RecordEncoder.append(change.content, of: registration, to: &bytes)
            }
            if let refusal { return continuation.resume(returning: Receipt(.refused(refusal))) }
            accept(change, registration.endpoint, registration.received, continuation) { content in
                OrderRow(
                    content, endpoint: registration.endpoint, received: registration.received,
                    named: registration.reference, registered: registration.registered)
            }
        }
    }

    /// Decides the act of a person and puts its record into the frame.
    private func act(_ given: Act, _ continuation: UnsafeContinuation<Receipt, Never>) {
        guard makeRoom() else { return continuation.resume(returning: Receipt(.refused(.failed))) }
        let erased = given.action.erased
        if erased != nil {
            guard sealing.isOn else {
                return continuation.resume(returning: Receipt(.denied(.notSealed)))
            }
            // It is alone in its frame: a failure refuses nothing else.
            commit()
        }
        let sequence = journal.nextSequence
        var act = given
        let decision = ledger.decide(&act, sealing: &sealing.sealer, sequence: sequence)
        switch consume decision {
        case .refused(let denial):
            // The denial may follow from the newest record.
            answer(continuation, Receipt(.denied(denial)), after: sequence - 1)
        case .record(let change, let action):
            if let erased, let refusal = sealing.prepare(without: erased) {
                return continuation.resume(returning: Receipt(.refused(refusal)))
            }
            let refusal = append { bytes, _ in
                RecordEncoder.append(change.content, of: act, decided: action, to: &bytes)
            }
            if let refusal {
                sealing.discard()
                return continuation.resume(returning: Receipt(.refused(refusal)))
            }
            accept(change, act.endpoint, action.received, continuation) { content in
                OrderRow(
                    content, endpoint: act.endpoint, received: action.received,
                    named: action.reference, registered: act.registered)
            }
            if erased != nil { commit() }
        }
    }

    /// Commits when the frame is full. False when nothing can be recorded any more.
    private func makeRoom() -> Bool {
        if journal.isFrameFull { commit() }
        return failure == nil
    }

    /// Answers with `receipt` as soon as the record `original` is durable.
    private func answer(
        _ continuation: UnsafeContinuation<Receipt, Never>, _ receipt: Receipt,
        after original: UInt64
    ) {
        let isPending = ledger.isPending(original)
        if isPending && environment.plantedDefect != .treatsPendingAsDurable {
            batch.waiting.append((continuation, receipt))
        } else {
            continuation.resume(returning: receipt)
        }
    }

    /// The same for the events of one request: as soon as all of them are durable.
    private func answer(
        _ continuation: UnsafeContinuation<[Receipt], Never>, _ receipts: [Receipt]
    ) {
        let isPending = receipts.contains { $0.sequence.map(ledger.isPending) ?? false }
        if isPending && environment.plantedDefect != .treatsPendingAsDurable {
            batch.waitingForAll.append((continuation, receipts))
        } else {
            continuation.resume(returning: receipts)
        }
    }

    /// Encodes a record straight into the frame and seals it there, or returns why not. `encode`
    /// returns where the record's head ends.
    private func append(
        _ encode: (_ bytes: inout [UInt8], _ encodesBodyAsBase64: Bool) -> Int
    ) -> StoreRefusal? {
        do {
            batch.lastHead = try journal.append(sealing: &sealing.sealer, encode)
            return nil
        } catch {
            if case .recordTooLong = error { return .recordTooLong }
            fail(error)
            return .failed
        }
    }

    /// Adds a record that is in the frame to the batch.
    private func accept(
        _ change: consuming EventChange, _ endpoint: String, _ received: Timestamp,
        _ continuation: UnsafeContinuation<Receipt, Never>, row: (RecordContent) -> OrderRow?
    ) {
        batch.waiting.append((continuation, Receipt(change)))
        batch.count(change.content.outcome)
        if recent.isFollowed {
            batch.rows.append(change.content.sequence, row(change.content))
        }
        if commitFeed.watchesOrders { batch.changedOrders += change.names(in: endpoint) }
        ledger.batch.accept(change, received: received)
    }

    // MARK: - The commit

    /// Makes the frame durable, publishes it, and resumes the tasks that wait for it.
    private func commit() {
        if environment.plantedDefect == .answersBeforeSync { batch.answer() }
        if failure == nil && !ledger.batch.isEmpty {
            let records = journal.pendingCount
            if !batch.rows.isEmpty {
                batch.rows.note(lastHead: journal.pendingBytes[batch.lastHead])
            }
            let start = environment.clock.now.nanoseconds
            do { try journal.commit() } catch {
                switch error {
                case .noSpace, .needsSegment:
                    counters.setSpaceIsMissing(true)
                    return refuseBatch(.noSpace)
                default:
                    return fail(error)
                }
            }
            do throws(JournalError) { try sealing.install(&ledger.tables.erased) } catch {
                return fail(error)
            }
            let end = environment.clock.now.nanoseconds
            counters.countBatch(
                records: records, conflicts: batch.conflicts, ignored: batch.ignored,
                nanoseconds: Int(end - start), syncNanoseconds: journal.lastSyncNanoseconds)
            duties.noteWrite(at: end)
            counters.setSpaceIsMissing(false)
            publish()
        }
        batch.answer()
        finishBatch()
    }

    /// Comes before the answers: a client that has one finds its record in the feed at once.
    private func publish() {
        recent.publish(batch.rows)
        if commitFeed.publish(journal.durableSequence, batch.changedOrders) {
            duties.noteCommit(isUrgent: !batch.changedOrders.isEmpty)
        }
    }

    /// Applies the batch to the tables, while the answers are on their way. Queries come after it.
    private func finishBatch() {
        batch.clear()
        guard !ledger.batch.isEmpty else { return }
        ledger.applyBatch()
        noteRemembered()
    }

    private func noteRemembered() {
        counters.setRemembered(
            events: ledger.tables.eventCount, orders: ledger.tables.orderCount)
    }

    /// Refuses every task of the batch: nothing was written, and the journal has dropped the
    /// records. A duplicate of one of them is refused too, because its original is not durable.
    private func refuseBatch(_ refusal: StoreRefusal) {
        ledger.batch.drop()
        batch.clear()
        sealing.discard()
        batch.refuse(refusal)
    }

    private func answerQueries() {
        for query in queries { query(ledger.tables) }
        queries.removeAll(keepingCapacity: true)
    }

    /// Ends the process, because it is unknown what is on disk. Where a test's handler returns,
    /// everything is refused from now on.
    private func fail(_ error: JournalError) {
        environment.fatal(error)
        failure = error
        refuseBatch(.failed)
    }

    // MARK: - Between batches

    /// Notifies readers, writes the idle marker, begins a snapshot, forgets: whatever is due.
    private func performDuties(isClosing: Bool) {
        guard failure == nil else { return }
        let now = environment.clock.now.nanoseconds
        if duties.takePlaceCheck(at: now) {
            do { try journal.checkPlace() } catch { return fail(error) }
        }
        preparation.text(journal.preparationFailure).map { environment.warn($0) }
        let isSnapshotDue = duties.takeSnapshot(
            at: ledger.tables.sequence, remembered: ledger.tables.eventCount, now: now,
            isClosing: isClosing)
        if isSnapshotDue { beginSnapshot() }
        if isClosing { snapshotPace?.hurry() }
        if duties.takeNotification(at: now) { commitFeed.announce() }
        if duties.takeIdleMarker(at: now) { markIdle() }
        if let shard = duties.takeShardToForget() { forget(shard) }
    }

    /// Records after `snapshot` keep their age across a restart, so restarts do not postpone the
    /// next snapshot.
    private func beginDuties(after snapshot: UInt64) {
        let now = environment.now
        let received = ledger.tables.ages.received(notAfter: snapshot + 1) ?? now
        // A clock that was set back makes nothing older.
        let age = max(0, now.microseconds - received.microseconds)
        duties.begin(
            at: environment.clock.now.nanoseconds, sequence: ledger.tables.sequence,
            ageSeconds: UInt64(age) / 1_000_000)
    }

    private func markIdle() {
        do { try journal.markIdle() } catch { fail(error) }
    }

    /// Hands a copy of the tables to a thread that writes it. The copy costs nothing until a part
    /// is next written, and that part only.
    private func beginSnapshot() {
        guard let point = journal.snapshotPoint else { return duties.endSnapshot() }
        let pace = WritingPace(clock: journal.storage.clock)
        snapshotPace = pace
        let job = SnapshotJob(
            of: journal.maintenance, point: point, tables: ledger.tables,
            options: options, pace: pace)
        let (queue, giveMemoryBack, warn) = (queue, environment.giveMemoryBack, environment.warn)
        PlatformThread.detached(name: "ipnd-snapshot", niceness: 5) {
            var failure: JournalError?
            do throws(JournalError) {
                if let warning = try job.run() { warn(warning) }
            } catch {
                failure = error
            }
            // Pages that were written meanwhile were in memory twice.
            giveMemoryBack()
            queue.add(notice: .snapshotEnded(failure))
        }
    }

    /// The snapshot's thread has ended.
    private func endSnapshot(_ error: JournalError?) {
        duties.endSnapshot()
        snapshotPace = nil
        counters.countSnapshot(isGood: error == nil)
        if let error { environment.warn("snapshot not written: \(error)") }
        let reach = Int64(options.dedupRetainDays) * 86_400_000_000
        // Not the wall clock alone: one that is far ahead would make every event old at once.
        let now = min(environment.now.microseconds, journal.maintenance.microsecondsSeen)
        let oldest = Timestamp(microseconds: now - reach)
        if let sequence = ledger.tables.ages.firstKept(since: oldest) {
            duties.beginForgetting(before: sequence)
        }
    }

    /// Forgets the old events of one shard: one shard per batch, so that no batch waits long.
    private func forget(_ shard: (index: Int, before: UInt64)) {
        ledger.tables.forgetEvents(before: shard.before, shard: shard.index)
        if shard.index == StoreShard.count - 1 { ledger.tables.ages.forget(before: shard.before) }
        noteRemembered()
    }

    /// Closes the journal in order: an idle marker is its end, and the directory is unlocked.
    private func close(_ continuation: UnsafeContinuation<Void, Never>) {
        journal.close()
        commitFeed.close()
        continuation.resume()
    }
}
