import Platform
import PostgreSQL
import Records
import Store

/// One batch after the other.
extension DatabaseCommitter {
    /// Runs a batch and answers its tasks.
    ///
    /// - Parameter begun: its transaction, where the beginning was sent behind the last commit.
    func commit(_ tasks: [BatchTask], _ begun: BatchTransaction?) {
        guard var session else { return }
        let start = environment.now()
        do throws(BatchTransaction.Failure) {
            let known = session.sequence
            let transaction = try self.transaction(begun, tasks, &session)
            let notifies = news.isDue(at: start)
            let outcome = try transaction.run(
                on: &session, notifies: notifies, until: deadline(of: tasks, from: start)
            ) { session in
                self.begun = beginBehind(tasks.count, &session)
            }
            self.session = session
            let nanoseconds = environment.now().nanoseconds - start.nanoseconds
            counters.countBatch(
                outcome.receipts, records: outcome.recordCount, nanoseconds: nanoseconds)
            gathering.noteBatch(
                taken: tasks.count, waiting: queue.count,
                isShared: outcome.sequence - UInt64(outcome.recordCount) > known,
                nanoseconds: nanoseconds)
            confirmations.note(outcome.sequence, on: session.server)
            // First: whoever has an answer finds what it tells of called durable.
            publish(outcome, notified: notifies)
            for (task, receipt) in zip(tasks, outcome.receipts) {
                task.answer(receipt)
            }
            health.noteSuccess(session.link.host)
            trust.noteCommit()
        } catch {
            // Never with a word to the server: whatever it does, it may finish.
            session.link.abandon()
            self.session = nil
            counters.countFailure()
            again = (self.begun?.tasks ?? []) + again
            self.begun = nil
            handle(error, tasks)
        }
    }

    private func transaction(
        _ begun: BatchTransaction?, _ tasks: [BatchTask], _ session: inout DatabaseSession
    ) throws(BatchTransaction.Failure) -> BatchTransaction {
        if let begun { return begun }
        session.link.clearWarning()
        do throws(PostgresError) {
            return try begin(tasks, &session)
        } catch {
            throw .failed(error)
        }
    }

    /// Begins the next batch while the commit of this one is under way: the server goes on with it
    /// at once, and while this one is answered. Nil when it is better to wait.
    ///
    /// It would be too small with less than half of what this batch holds. And while others write,
    /// the lock is theirs first: see `BatchGathering`.
    private func beginBehind(_ count: Int, _ session: inout DatabaseSession) -> BatchTransaction? {
        guard again.isEmpty, aloneCount == 0, gathering.count == 0 else { return nil }
        guard queue.count > 0, queue.count * 2 >= count else { return nil }
        var tasks: [BatchTask] = []
        queue.take(
            into: &tasks, countMax: options.batchSubmissionsMax, bytesMax: options.batchBytesMax)
        tasks = withoutExpired(tasks)
        if !tasks.isEmpty, session.isPrepared(for: tasks),
            let next = try? begin(tasks, &session)
        {
            return next
        }
        // They come next. Where the connection is lost, that is seen by who waits for the commit.
        again = tasks
        return nil
    }

    private func begin(
        _ tasks: [BatchTask], _ session: inout DatabaseSession
    ) throws(PostgresError) -> BatchTransaction {
        try BatchTransaction(
            tasks: tasks, schema: schema, options: options, on: &session,
            until: deadline(of: tasks, from: environment.now()))
    }

    /// Whoever waits in the queue came later, and has more time than the first of these.
    private func deadline(of tasks: [BatchTask], from start: MonotonicTime) -> MonotonicTime {
        let patience = start.advanced(seconds: options.batchSecondsMax)
        return tasks.reduce(patience) { min($0, $1.deadline) }
    }

    /// Tells this instance's readers; the others' were notified by the batch, or will be.
    private func publish(_ outcome: BatchTransaction.Outcome, notified: Bool) {
        // One that begins to watch after this was read looks after the commit.
        let changed = commitFeed.watchesOrders ? outcome.changed : []
        let hasNews = commitFeed.publish(outcome.sequence, changed)
        if outcome.recordCount > 0 && !notified { news.owe() }
        if notified && outcome.recordCount > 0 { news.noteTold(at: environment.now()) }
        // An order that somebody waits for does not wait for its turn.
        if hasNews && (notified || !changed.isEmpty) { commitFeed.announce() }
    }

    private func handle(_ failure: BatchTransaction.Failure, _ tasks: [BatchTask]) {
        trust.noteFailure(at: environment.now())
        switch failure {
        case .unsettled(let text):
            health.noteFailure("database_commit_unknown", text)
        case .version(let found):
            health.noteFailure(
                "database_version",
                "\(DatabaseFailure.version(found, wanted: SchemaVersion.current))")
        case .failed(let error):
            if error.isAboutValues {
                // One of them cannot be stored: the others must not suffer for it.
                guard tasks.count > 1 else { return refuse(tasks[0], .databaseRefused) }
                aloneCount = tasks.count
            } else {
                health.noteFailure(error.reason, "\(error)")
            }
        }
        again = tasks + again
    }
}

extension PostgresError {
    /// Whether a value is the cause: too long, out of range, not unique. The same batch would fail
    /// for ever.
    fileprivate var isAboutValues: Bool {
        guard case .statement(let state, _) = self else { return false }
        return ["22", "23", "54"].contains { state.code.hasPrefix($0) }
    }
}
