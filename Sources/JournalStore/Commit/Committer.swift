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
    private var batch = Batch()
    private var queries: [@Sendable (borrowing StoreTables) -> Void] = []
    /// When the journal's place is checked next though nothing is written.
    private var nextPlaceCheck: UInt64 = 0
    private static let placeCheckNanoseconds: UInt64 = 1_000_000_000
    /// Whether the warning that the next segment cannot be prepared was logged.
    private var warnedOfPreparation = false
    /// Of the snapshot that is being written.
    private var snapshotPace: WritingPace?
    /// The error that ended the journal. In service the process has ended with it; a test's handler
    /// returns.
    private var failure: JournalError?

    /// Everything about the frame that is being built but its bytes.
    private struct Batch {
        /// The tasks that wait for the frame, and their receipts.
        var waiting: [(UnsafeContinuation<Receipt, Never>, Receipt)] = []
        /// The same for requests that reported several events.
        var waitingForAll: [(UnsafeContinuation<[Receipt], Never>, [Receipt])] = []
        /// The order rows of the records, kept while a follower takes them.
        var rows = OrderRows()
        /// The head of the last record, among the frame's bytes.
        var lastHead = 0..<0
        /// The orders that the batch changes, noted while a reader watches an order.
        var changedOrders: [OrderName] = []
        var conflicts = 0
        var ignored = 0

        /// Removes everything but the tasks that wait.
        mutating func clear() {
            rows.removeAll()
            changedOrders.removeAll(keepingCapacity: true)
            conflicts = 0
            ignored = 0
        }
    }

    init(
        journal: JournalWriter, tables: StoreTables, queue: SubmissionQueue,
        counters: StoreCounters, commitFeed: CommitFeed, recent: RecentOrders,
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
        var refusal = StoreRefusal.failed
        // A request that does not fit beside the records of this frame gets the next one.
        for isAlone in [false, true] {
            guard makeRoom() else { break }
            let wasEmpty = ledger.batch.isEmpty
            do throws(GroupFailure) {
                let receipts = try decide(events)
                return answer(continuation, receipts)
            } catch {
                refusal = error.refusal
                guard error.mayFitAlone, !wasEmpty, !isAlone else { break }
                commit()
            }
        }
        continuation.resume(returning: events.map { _ in Receipt(.refused(refusal)) })
    }

    private struct GroupFailure: Error {
        var refusal: StoreRefusal
        /// Whether the frame was full.
        var mayFitAlone = false
    }

    /// Puts the records of all events into the frame, and returns their receipts; or throws, and
    /// leaves the frame and the batch as they were.
    private func decide(_ events: [QueuedSubmission]) throws(GroupFailure) -> [Receipt] {
        let mark = journal.frameMark
        let lastHead = batch.lastHead
        ledger.batch.mark()
        var group = SharedRequest()
        for (event, hashes) in zip(events, ledger.lookAhead(events)) {
            do throws(GroupFailure) {
                try decide(event.submission, hashes, in: &group)
            } catch {
                if failure == nil {
                    journal.discard(after: mark)
                    batch.lastHead = lastHead
                    ledger.batch.takeBackMarked()
                }
                throw error
            }
        }
        ledger.batch.keepMarked()
        for _ in 0..<group.duplicates { counters.countDuplicate() }
        for (content, submission) in group.recorded { note(content, submission) }
        batch.changedOrders += group.changedOrders
        return group.receipts
    }

    /// The decisions on the events of one request so far.
    private struct SharedRequest {
        var receipts: [Receipt] = []
        var duplicates = 0
        /// The record that holds the request: the first one.
        var holder: UInt64?
        var recorded: [(RecordContent, Submission)] = []
        var changedOrders: [OrderName] = []
    }

    private func decide(
        _ submission: Submission, _ hashes: NotificationHashes, in group: inout SharedRequest
    ) throws(GroupFailure) {
        if !group.receipts.isEmpty, environment.plantedDefect == .splitsRequests { commit() }
        let sequence = journal.nextSequence
        switch ledger.decide(submission, hashes, sequence: sequence) {
        case .duplicate(let original):
            group.duplicates += 1
            group.receipts.append(
                Receipt(.duplicate(of: original), reference: submission.notification.reference))
        case .record(let change):
            let holder = group.holder
            if journal.isFrameFull {
                throw GroupFailure(refusal: .recordTooLong, mayFitAlone: true)
            }
            let refusal = append { bytes, encodesBodyAsBase64 in
                RecordEncoder.append(
                    change.content, of: submission, heldBy: holder,
                    encodesBodyAsBase64: encodesBodyAsBase64, to: &bytes)
            }
            if let refusal { throw GroupFailure(refusal: refusal) }
            group.holder = holder ?? sequence
            group.receipts.append(Receipt(change))
            group.recorded.append((change.content, submission))
            if commitFeed.watchesOrders {
                group.changedOrders += Self.changedOrders(change, submission.endpoint)
            }
            ledger.batch.accept(change, received: submission.received)
        }
    }

    /// Decides one registration and puts its record into the frame.
    private func register(
        _ registration: Registration, _ continuation: UnsafeContinuation<Receipt, Never>
    ) {
        guard makeRoom() else { return continuation.resume(returning: Receipt(.refused(.failed))) }
        let decision = ledger.decide(registration, sequence: journal.nextSequence)
        switch consume decision {
        case .same(let original):
            let receipt = Receipt(.duplicate(of: original), reference: registration.reference)
            answer(continuation, receipt, after: original)
        case .differs(let original):
            let receipt = Receipt(.conflict(original), reference: registration.reference)
            answer(continuation, receipt, after: original)
        case .record(let change):
            let refusal = append { bytes, _ in
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
    private func act(_ act: Act, _ continuation: UnsafeContinuation<Receipt, Never>) {
        guard makeRoom() else { return continuation.resume(returning: Receipt(.refused(.failed))) }
        let sequence = journal.nextSequence
        let decision = ledger.decide(act, sequence: sequence)
        switch consume decision {
        case .refused(let refusal):
            answer(continuation, Receipt(refusal, after: sequence - 1), after: sequence - 1)
        case .record(let change, let action):
            let refusal = append { bytes, _ in
                RecordEncoder.append(change.content, of: act, decided: action, to: &bytes)
            }
            if let refusal { return continuation.resume(returning: Receipt(.refused(refusal))) }
            accept(change, act.endpoint, action.received, continuation) { content in
                OrderRow(
                    content, endpoint: act.endpoint, received: action.received,
                    named: action.reference, registered: act.registered)
            }
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

    /// Encodes a record straight into the frame, or returns why not. `encode` returns where the
    /// record's head ends.
    private func append(
        _ encode: (_ bytes: inout [UInt8], _ encodesBodyAsBase64: Bool) -> Int
    ) -> StoreRefusal? {
        for encodesBodyAsBase64 in [false, true] {
            do {
                var head = 0..<0
                _ = try journal.append { bytes in
                    let start = bytes.count
                    head = start..<encode(&bytes, encodesBodyAsBase64)
                }
                batch.lastHead = head
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

    /// Adds a record that is in the frame to the batch.
    private func accept(
        _ change: consuming EventChange, _ endpoint: String, _ received: Timestamp,
        _ continuation: UnsafeContinuation<Receipt, Never>, row: (RecordContent) -> OrderRow?
    ) {
        batch.waiting.append((continuation, Receipt(change)))
        note(change.content, row)
        if commitFeed.watchesOrders {
            batch.changedOrders += Self.changedOrders(change, endpoint)
        }
        ledger.batch.accept(change, received: received)
    }

    /// Counts a record that is in the frame, and keeps its order row for the index.
    private func note(_ content: RecordContent, _ row: (RecordContent) -> OrderRow?) {
        switch content.outcome {
        case .recorded: break
        case .conflict: batch.conflicts += 1
        case .ignored: batch.ignored += 1
        }
        if recent.isFollowed { batch.rows.append(content.sequence, row(content)) }
    }

    private func note(_ content: RecordContent, _ submission: Submission) {
        note(content) { content in
            OrderRow(
                content, endpoint: submission.endpoint, received: submission.received,
                named: submission.notification.reference, alias: submission.notification.alias)
        }
    }

    /// A reader may watch the order under an alias, or under a reference that is now part of it.
    private static func changedOrders(
        _ change: borrowing EventChange, _ endpoint: String
    ) -> [OrderName] {
        (change.references + (change.content.order?.absorbed ?? [])).map {
            OrderName(endpoint: endpoint, reference: $0)
        }
    }

    // MARK: - The commit

    /// Makes the frame durable, publishes it, and resumes the tasks that wait for it.
    private func commit() {
        if environment.plantedDefect == .answersBeforeSync { answerWaiting() }
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
            let end = environment.clock.now.nanoseconds
            counters.countBatch(
                records: records, conflicts: batch.conflicts, ignored: batch.ignored,
                nanoseconds: Int(end - start), syncNanoseconds: journal.lastSyncNanoseconds)
            duties.noteWrite(at: end)
            counters.setSpaceIsMissing(false)
            publish()
        }
        answerWaiting()
        finishBatch()
    }

    private func answerWaiting() {
        for (continuation, receipt) in batch.waiting { continuation.resume(returning: receipt) }
        batch.waiting.removeAll(keepingCapacity: true)
        for (continuation, receipts) in batch.waitingForAll {
            continuation.resume(returning: receipts)
        }
        batch.waitingForAll.removeAll(keepingCapacity: true)
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
        for (continuation, _) in batch.waiting {
            continuation.resume(returning: Receipt(.refused(refusal)))
        }
        batch.waiting.removeAll(keepingCapacity: true)
        for (continuation, receipts) in batch.waitingForAll {
            continuation.resume(returning: receipts.map { _ in Receipt(.refused(refusal)) })
        }
        batch.waitingForAll.removeAll(keepingCapacity: true)
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
        checkPlace(at: now)
        guard failure == nil else { return }
        checkPreparation()
        let isSnapshotDue = duties.takeSnapshot(
            at: ledger.tables.sequence, remembered: ledger.tables.eventCount, now: now,
            isClosing: isClosing)
        if isSnapshotDue { beginSnapshot() }
        if isClosing { snapshotPace?.hurry() }
        if duties.takeNotification(at: now) { commitFeed.announce() }
        if duties.takeIdleMarker(at: now) { markIdle() }
        if let shard = duties.takeShardToForget() { forget(shard) }
    }

    /// Warns once of each failure: nearly always there is still room in the present segment.
    private func checkPreparation() {
        guard let error = journal.preparationFailure else {
            warnedOfPreparation = false
            return
        }
        guard !warnedOfPreparation else { return }
        warnedOfPreparation = true
        environment.warn(
            "the next segment cannot be prepared: \(error). Notifications are refused once the "
                + "present one is full")
    }

    /// Checks every second: duplicates alone write nothing, and would not show that the journal has
    /// been moved away.
    private func checkPlace(at now: UInt64) {
        guard now >= nextPlaceCheck else { return }
        nextPlaceCheck = now + Self.placeCheckNanoseconds
        do { try journal.checkPlace() } catch { fail(error) }
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
