import Ledger
import Payments
import Platform
import PostgreSQL
import Records
import Store

/// One batch: lock the head, load, decide, write, commit, in two round trips.
///
/// Success is a COMMIT without a warning. A batch that has nothing to write locks the head and
/// commits all the same: what its answers refer to may be visible and not yet replicated, and only
/// a transaction that wrote something waits for the standby. (The lock of a row is written to the
/// log.)
struct BatchTransaction {
    /// What became of a batch that was committed.
    struct Outcome {
        /// In the order of the tasks.
        var receipts: [Receipt]
        /// The last sequence that is confirmed now, of other instances' batches too.
        var sequence: UInt64
        /// How many records were written.
        var recordCount: Int
        /// The orders that changed.
        var changed: [OrderName]
    }

    enum Failure: Error {
        /// It may have been committed or not.
        case unsettled(String)
        /// It was not committed.
        case failed(PostgresError)
        /// The tables are of another version now.
        case version(Int)
    }

    /// What is known under the lock of the head.
    struct Locked {
        var sequence: UInt64
        var chain: [UInt8]
        var version: Int
        var loaded: WorkingSet
    }

    let tasks: [BatchTask]
    let schema: String
    /// Most facts of one order.
    let factsMax: Int
    /// The longest record, in bytes.
    let recordBytesMax: Int
    /// Whether readers are told of it with its commit.
    let notifies: Bool
    let deadline: MonotonicTime

    /// Runs it: all of it is durable then, or nothing. After a failure the connection is of no use.
    func run(_ session: inout DatabaseSession) throws(Failure) -> Outcome {
        let link = session.link
        link.clearWarning()
        var locked: Locked
        var decided: BatchDecisions
        do throws(PostgresError) {
            try session.addPartitions(until: deadline)
            let numbers = try numbers(&session)
            var keys = KeyMaker(function: session.function)
            let hashes = hashes(numbers, &keys)
            var lookups = LedgerLookups()
            for (task, (number, hashes)) in zip(tasks, zip(numbers, hashes)) {
                lookups.add(task, number, hashes, &keys)
            }
            locked = try lock(link, loading: lookups)
            session.sequence = locked.sequence
            decided = decide(numbers, hashes, over: locked, session.function)
            if !locked.loaded.missedEvents.isEmpty {
                // Contradictions are rare: their keys are no part of the usual look-ups.
                try loadMissed(&locked.loaded, link)
                decided = decide(numbers, hashes, over: locked, session.function)
            }
            decided.finish()
            guard locked.loaded.missedEvents.isEmpty, locked.loaded.isComplete else {
                throw .unexpected("a decision asked for what was not loaded")
            }
        } catch {
            throw .failed(error)
        }
        guard locked.version == SchemaVersion.current else { throw .version(locked.version) }
        try commit(
            decided.changes.commands(after: locked.chain, channel: notifies ? schema : nil), link)
        let written = decided.changes.records.count
        let sequence = locked.sequence + UInt64(written)
        session.sequence = sequence
        return Outcome(
            receipts: decided.receipts, sequence: sequence, recordCount: written,
            changed: decided.changed)
    }

    private func decide(
        _ numbers: [UInt16], _ hashes: [NotificationHashes?], over locked: Locked,
        _ function: SipHash
    ) -> BatchDecisions {
        var decided = BatchDecisions(
            after: locked.sequence, over: locked.loaded, function: function,
            factsMax: factsMax, recordBytesMax: recordBytesMax)
        for (task, (number, hashes)) in zip(tasks, zip(numbers, hashes)) {
            decided.decide(task, number, hashes)
        }
        return decided
    }

    private func numbers(
        _ session: inout DatabaseSession
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

    private func hashes(
        _ numbers: [UInt16], _ keys: inout KeyMaker
    ) -> [NotificationHashes?] {
        zip(tasks, numbers).map { task, number in
            guard case .submission(let queued) = task.content else { return nil }
            return keys.hashes(of: queued.submission.notification, number)
        }
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
        case .registration(let registration):
            add(registrationFor: registration.reference, endpoint: endpoint, &keys)
        case .act(let act): add(act.action, endpoint: endpoint, &keys)
        case .confirmation: break
        }
    }
}
