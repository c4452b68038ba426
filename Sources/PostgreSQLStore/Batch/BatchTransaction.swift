import Ledger
import Payments
import Platform
import PostgreSQL
import Records
import Store

/// One batch in two round trips: lock the head, load, decide, write, commit. The first round trip
/// may be sent after the commit of the previous batch, without waiting for its answer.
///
/// Success is a COMMIT without a warning. A batch without anything to write still locks the head
/// and commits: its answers may refer to rows that are visible and not yet replicated, and only a
/// transaction that wrote something waits for the standby. (The lock of a row is written to the
/// log.)
struct BatchTransaction {
    /// The result of a committed batch.
    struct Outcome {
        /// The receipts, in the order of the tasks.
        var receipts: [Receipt]
        /// The last sequence that is confirmed now, batches of other instances included.
        var sequence: UInt64
        /// Number of records that were written.
        var recordCount: Int
        /// The orders that changed.
        var changed: [OrderName]
        /// The keys of the session, where some were destroyed.
        var keys: DatabaseKeys?
    }

    enum Failure: Error {
        /// It may have been committed or not.
        case unsettled(String)
        /// It was not committed.
        case failed(PostgresError)
        /// The tables have another version now.
        case version(Int)
        /// The keys of the records are not those of the session any more.
        case keys
    }

    let tasks: [BatchTask]
    private let schema: String
    private let options: DatabaseOptions
    private let numbers: [UInt16]
    private let hashes: [NotificationHashes?]
    private let lookups: LedgerLookups

    /// Sends the first message. After the commit of another batch, nothing else may be sent: see
    /// `WriterSession.isPrepared`.
    init(
        tasks: [BatchTask], schema: String, options: DatabaseOptions,
        on session: inout WriterSession, until deadline: MonotonicTime
    ) throws(PostgresError) {
        self.tasks = tasks
        self.schema = schema
        self.options = options
        try session.addPartitions(until: deadline)
        numbers = try Self.numbers(tasks, &session, until: deadline)
        var keys = KeyMaker(function: session.function)
        hashes = Self.hashes(tasks, numbers, &keys)
        var lookups = LedgerLookups()
        for (task, (number, hashes)) in zip(tasks, zip(numbers, hashes)) {
            lookups.add(task, number, hashes, &keys)
        }
        self.lookups = lookups
        try session.link.send(BatchMessages.beginning(loading: lookups))
    }

    /// Decides and commits: all of it becomes durable, or nothing. After a failure the connection
    /// is unusable.
    ///
    /// - Parameters:
    ///   - notifies: Whether the commit notifies readers.
    ///   - afterSending: Called when the commit was sent; it may send the beginning of the next
    ///     batch.
    func run(
        on session: inout WriterSession, notifies: Bool, until deadline: MonotonicTime,
        afterSending: (inout WriterSession) -> Void
    ) throws(Failure) -> Outcome {
        let link = session.link
        var locked: BatchMessages.Locked
        var decided: BatchDecisions
        do throws(PostgresError) {
            locked = try BatchMessages.locked(try link.receive(until: deadline), having: lookups)
        } catch {
            throw .failed(error)
        }
        guard locked.keysVersion == session.keys?.version ?? 0 else { throw .keys }
        do throws(PostgresError) {
            session.sequence = locked.sequence
            decided = decide(over: locked, session)
            // Contradictions, and events that arrive before the ones that they refer to, are rare:
            // their keys are not among the usual lookups.
            for _ in 0..<BatchMessages.missedLoadsMax where locked.loaded.hasMissed {
                try BatchMessages.loadMissed(&locked.loaded, link, until: deadline)
                decided = decide(over: locked, session)
            }
            decided.finish()
            guard locked.loaded.isComplete else {
                throw .unexpected("a decision asked for what was not loaded")
            }
        } catch {
            throw .failed(error)
        }
        guard locked.version == SchemaVersion.current else { throw .version(locked.version) }
        var commands = decided.changes.commands(
            after: locked.chain, channel: notifies ? schema : nil)
        let written = decided.changes.records.count
        session.sequence = locked.sequence + UInt64(written)
        session.sealer = decided.sealer
        let destroyed =
            decided.erased.isEmpty
            ? nil
            : session.keys?.destroying(decided.erased, wrappedBy: options.masterKeys)
        if let destroyed {
            commands.append(destroyed.command)
            session.adopt(destroyed.keys)
        }
        try BatchMessages.sendCommit(commands, link)
        afterSending(&session)
        try BatchMessages.awaitCommit(link, until: deadline)
        return Outcome(
            receipts: decided.receipts, sequence: locked.sequence + UInt64(written),
            recordCount: written, changed: decided.changed, keys: destroyed?.keys)
    }

    private func decide(
        over locked: BatchMessages.Locked, _ session: borrowing WriterSession
    ) -> BatchDecisions {
        // A request of which one event cannot be recorded is refused as a whole: the batch is
        // decided again without it.
        var refused: Set<Int> = []
        while true {
            var decided = BatchDecisions(
                after: locked.sequence, over: locked.loaded, function: session.function,
                factsMax: options.orderFactsMax, recordBytesMax: options.recordBytesMax,
                partitionEvents: session.partitionEvents, sealer: session.sealer)
            var isWhole = true
            for index in tasks.indices where isWhole {
                let task = tasks[index]
                if refused.contains(index) {
                    decided.refuse(task, .recordTooLong)
                } else if !decided.decide(task, numbers[index], hashes[index]) {
                    refused.insert(index)
                    isWhole = false
                }
            }
            if isWhole { return decided }
        }
    }

    private static func numbers(
        _ tasks: [BatchTask], _ session: inout WriterSession, until deadline: MonotonicTime
    ) throws(PostgresError) -> [UInt16] {
        var numbers: [UInt16] = []
        for task in tasks {
            guard let endpoint = task.endpoint else {
                numbers.append(0)
                continue
            }
            numbers.append(try session.number(of: endpoint, until: deadline))
        }
        return numbers
    }

    private static func hashes(
        _ tasks: [BatchTask], _ numbers: [UInt16], _ keys: inout KeyMaker
    ) -> [NotificationHashes?] {
        zip(tasks, numbers).map { task, number in
            guard case .submission(let queued) = task.content else { return nil }
            return keys.hashes(of: queued.submission.notification, number)
        }
    }
}

extension QueuedSubmission {
    func hashes(_ keys: inout KeyMaker, _ endpoint: UInt16) -> NotificationHashes {
        keys.hashes(of: submission.notification, endpoint)
    }
}

extension LedgerLookups {
    fileprivate mutating func add(
        _ task: BatchTask, _ endpoint: UInt16, _ hashes: NotificationHashes?,
        _ keys: inout KeyMaker
    ) {
        switch task.content {
        case .submission(let queued):
            if let hashes { add(queued.submission.notification, hashes, &keys) }
        case .request(let events):
            for event in events {
                let hashes = event.hashes(&keys, endpoint)
                add(event.submission.notification, hashes, &keys)
            }
        case .registration(let registration):
            add(
                registration.registered, for: registration.reference, endpoint: endpoint, &keys)
        case .act(let act): add(act.action, endpoint: endpoint, &keys)
        case .confirmation: break
        }
    }
}
