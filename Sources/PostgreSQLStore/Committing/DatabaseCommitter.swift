import Ledger
import Platform
import PostgreSQL
import Records
import Store

/// The one thread that writes to the database.
///
/// It loops: take the waiting tasks, run them as one transaction, answer them. The next batch
/// gathers while a transaction is under way; if enough tasks wait when the commit is sent, the
/// next transaction begins right after it on the same connection. If the outcome is unknown or the
/// database is away, the same tasks run again on a new connection until their deadlines: an event
/// that was recorded after all is found by its identity, and becomes a duplicate.
final class DatabaseCommitter {
    private let options: DatabaseOptions
    private let environment: DatabaseEnvironment
    private let schema: String
    private let queue: DatabaseQueue
    private let health: DatabaseHealth
    private let commitFeed: CommitFeed
    private let confirmations: Confirmations
    private let counters: DatabaseCounters
    /// The keys, for the readers of records.
    private let keys: RecordKeys
    private let connector: DatabaseConnector

    private var session: WriterSession?
    /// Tasks whose batch failed; they run before the waiting ones.
    private var again: [BatchTask] = []
    /// Number of tasks of `again` that run alone, because one of them cannot be stored.
    private var aloneCount = 0
    /// The batch whose beginning was sent after the last commit.
    private var begun: BatchTransaction?
    /// The identity of the record that this store began with; another database is refused.
    private var store: String?
    private var trust: DatabaseTrust
    private var gathering = BatchGathering()
    private var throttle = NotifyThrottle()

    /// A task with less time left is refused instead of run.
    private static let restNanosecondsMin: UInt64 = 50_000_000
    /// Interval at which an idle connection is checked.
    private static let idleSeconds = 1

    init(
        _ source: LinkSource, options: DatabaseOptions, environment: DatabaseEnvironment,
        queue: DatabaseQueue, health: DatabaseHealth, commitFeed: CommitFeed,
        confirmations: Confirmations, counters: DatabaseCounters, keys: RecordKeys
    ) {
        self.keys = keys
        self.options = options
        self.environment = environment
        schema = source.settings.schema
        self.queue = queue
        self.health = health
        self.commitFeed = commitFeed
        self.confirmations = confirmations
        self.counters = counters
        connector = DatabaseConnector(source, options.masterKeys, environment) { queue.wake() }
        trust = DatabaseTrust(options)
    }

    /// Serves the queue until it is closed and empty.
    func run() {
        while true {
            guard session != nil else {
                awaitSession()
                if queue.isClosedAndEmpty && again.isEmpty && session == nil { break }
                continue
            }
            let begun = takeBegun()
            let tasks = begun?.tasks ?? withoutExpired(nextTasks())
            if tasks.isEmpty {
                if queue.isClosedAndEmpty && again.isEmpty { break }
                idle()
                continue
            }
            commit(tasks, begun)
        }
        if throttle.isPending { notifyReaders() }
        session?.link.close()
        commitFeed.close()
    }

    private func takeBegun() -> BatchTransaction? {
        defer { begun = nil }
        return begun
    }

    /// Returns the tasks to run again, or the waiting ones if there are none.
    private func nextTasks() -> [BatchTask] {
        var tasks: [BatchTask] = []
        if aloneCount > 0, !again.isEmpty {
            aloneCount -= 1
            return [again.removeFirst()]
        }
        aloneCount = 0
        swap(&tasks, &again)
        if tasks.isEmpty, gathering.count > 0 {
            let end = environment.now().advanced(nanoseconds: gathering.nanoseconds)
            queue.gather(gathering.count, until: end)
        }
        queue.take(
            into: &tasks,
            countMax: options.batchSubmissionsMax - tasks.reduce(0) { $0 + $1.count },
            bytesMax: options.batchBytesMax)
        return tasks
    }

    /// Refuses the tasks whose time is up and returns the others.
    private func withoutExpired(_ tasks: [BatchTask]) -> [BatchTask] {
        let limit = environment.now().advanced(nanoseconds: Self.restNanosecondsMin)
        return tasks.filter { task in
            if task.deadline > limit { return true }
            refuse(task, .databaseUnavailable)
            return false
        }
    }

    private func refuse(_ task: BatchTask, _ refusal: StoreRefusal) {
        task.refuse(refusal)
    }

    // MARK: A batch

    /// Runs a batch and answers its tasks.
    ///
    /// - Parameter begun: Its transaction, if the beginning was sent after the last commit.
    private func commit(_ tasks: [BatchTask], _ begun: BatchTransaction?) {
        guard var session else { return }
        let start = environment.now()
        do throws(BatchTransaction.Failure) {
            let known = session.sequence
            let transaction = try self.transaction(begun, tasks, &session)
            let notifies = throttle.isDue(at: start)
            let outcome = try transaction.run(
                on: &session, notifies: notifies, until: deadline(of: tasks, from: start)
            ) { session in
                self.begun = beginNext(after: tasks.count, &session)
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
            if let changed = outcome.keys { keys.replace(changed.ring) }
            // Before the answers: a client that has its answer then reads the record as durable.
            publish(outcome, notified: notifies)
            var rest = outcome.receipts[...]
            for task in tasks {
                task.answer(rest.prefix(task.count))
                rest = rest.dropFirst(task.count)
            }
            health.noteSuccess(session.link.host)
            trust.noteCommit()
        } catch {
            // Nothing more is sent to the server: it may still complete what it was sent.
            session.link.abandon()
            self.session = nil
            counters.countFailure()
            again = (self.begun?.tasks ?? []) + again
            self.begun = nil
            handle(error, tasks)
        }
    }

    private func transaction(
        _ begun: BatchTransaction?, _ tasks: [BatchTask], _ session: inout WriterSession
    ) throws(BatchTransaction.Failure) -> BatchTransaction {
        if let begun { return begun }
        session.link.clearWarning()
        do throws(PostgresError) {
            return try begin(tasks, &session)
        } catch {
            throw .failed(error)
        }
    }

    /// Begins the next batch while the commit of this one is under way, so that the server
    /// continues at once. Returns nil if it is better to wait.
    ///
    /// It is better to wait if fewer than half as many tasks wait as this batch holds, and while
    /// other instances write: the lock is theirs first (see ``BatchGathering``).
    private func beginNext(
        after count: Int, _ session: inout WriterSession
    ) -> BatchTransaction? {
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
        // These tasks run next. A lost connection is noticed by the wait for the commit.
        again = tasks
        return nil
    }

    private func begin(
        _ tasks: [BatchTask], _ session: inout WriterSession
    ) throws(PostgresError) -> BatchTransaction {
        try BatchTransaction(
            tasks: tasks, schema: schema, options: options, on: &session,
            until: deadline(of: tasks, from: environment.now()))
    }

    /// The earliest deadline of the tasks, or the end of `batchSecondsMax` if that is sooner.
    private func deadline(of tasks: [BatchTask], from start: MonotonicTime) -> MonotonicTime {
        let patience = start.advanced(seconds: options.batchSecondsMax)
        return tasks.reduce(patience) { min($0, $1.deadline) }
    }

    /// Notifies the readers of this instance. Those of the others were notified by the batch, or
    /// will be when the throttle allows it.
    private func publish(_ outcome: BatchTransaction.Outcome, notified: Bool) {
        // A reader that begins to watch after this check reads after the commit.
        let changed = commitFeed.watchesOrders ? outcome.changed : []
        let isNew = commitFeed.publish(outcome.sequence, changed)
        if outcome.recordCount > 0 && !notified { throttle.postpone() }
        if notified && outcome.recordCount > 0 { throttle.noteNotified(at: environment.now()) }
        // A watched order is announced without the throttle's delay.
        if isNew && (notified || !changed.isEmpty) { commitFeed.announce() }
    }

    private func handle(_ failure: BatchTransaction.Failure, _ tasks: [BatchTask]) {
        trust.noteFailure(at: environment.now())
        switch failure {
        case .unsettled(let text):
            health.noteFailure("database_commit_unknown", text)
        // The next session reads the new ones.
        case .keys: break
        case .version(let found):
            health.noteFailure("database_version", "\(DatabaseFailure.version(found))")
        case .failed(let error):
            if error.isAboutValues {
                // One task cannot be stored: run each alone, so that the others are not refused.
                guard tasks.count > 1 else { return refuse(tasks[0], .databaseRefused) }
                aloneCount = tasks.count
            } else {
                health.noteFailure(error.reason, "\(error)")
            }
        }
        again = tasks + again
    }

    // MARK: Without a batch

    /// Waits for tasks; checks the connection every second.
    private func idle() {
        let look = environment.now().advanced(seconds: Self.idleSeconds)
        queue.awaitTasks(until: min(look, throttle.deadline))
        if throttle.isPending, environment.now() >= throttle.deadline { return notifyReaders() }
        if environment.now() >= look { checkConnection() }
    }

    /// Notifies the readers of all instances of the records whose batch did not.
    private func notifyReaders() {
        commitFeed.announce()
        throttle.noteNotified(at: environment.now())
        tryConnection(Command(Self.notify).with(schema))
    }

    /// Checks the connection, and that the keys are still those of the session: another instance
    /// may have destroyed some, and readers here would go on with them.
    private func checkConnection() {
        guard let known = session.map({ $0.keys?.version ?? 0 }),
            let found = tryConnection(Command(Self.ping)).flatMap({ try? $0.integer(0, 0) }),
            found != known
        else { return }
        session?.link.close()
        session = nil
    }

    /// Runs a command. Nil when the connection was lost with it.
    @discardableResult
    private func tryConnection(_ command: Command) -> PostgresResult? {
        guard let session else { return nil }
        do throws(PostgresError) {
            let deadline = environment.now().advanced(seconds: options.batchSecondsMax)
            let result = try session.link.run(command, until: deadline)
            noteConnection(session)
            return result
        } catch {
            session.link.abandon()
            self.session = nil
            health.noteFailure(error.reason, "\(error)")
            return nil
        }
    }

    static let ping = Statement(
        name: "ping", sql: "SELECT coalesce((SELECT version FROM sealing), 0) FROM meta")
    private static let notify = Statement(name: "notify", sql: "SELECT pg_notify($1, '')")

    // MARK: Without a connection

    /// Waits for a connection, and refuses the tasks whose time is up.
    private func awaitSession() {
        if environment.now() >= trust.nextAttempt { connector.begin() }
        switch connector.take() {
        case .session(let opened): adopt(opened)
        case .failure(let failure):
            health.noteFailure(failure.reason, "\(failure)")
            trust.postpone(at: environment.now())
        case .pending: queue.sleep(until: waking)
        }
        again = withoutExpired(again)
        let limit = environment.now().advanced(nanoseconds: Self.restNanosecondsMin)
        for task in queue.takeExpired(at: limit) { refuse(task, .databaseUnavailable) }
        if queue.isClosed {
            // A stopping server does not wait for a database that is away.
            var rest = again
            again = []
            queue.take(into: &rest, countMax: .max, bytesMax: .max)
            for task in rest { refuse(task, .shuttingDown) }
        }
    }

    /// When the next action is due while there is no connection.
    private var waking: MonotonicTime {
        let attempt = max(trust.nextAttempt, environment.now().advanced(nanoseconds: 1_000_000))
        let soon = environment.now().advanced(seconds: 1)
        let first = again.reduce(queue.firstDeadline) { min($0, $1.deadline) }
        return min(connector.isConnecting ? soon : attempt, first, soon)
    }

    private func adopt(_ opened: WriterSession) {
        if let store, store != opened.store {
            opened.link.close()
            health.noteFailure(
                "database_replaced",
                "the database holds the store \(opened.store), and \(store) was used before; "
                    + "correct the connection string, or restart to use this one")
            return trust.postpone(at: environment.now())
        }
        store = opened.store
        session = opened
        keys.replace(opened.keys?.ring)
        health.noteConnection()
        // If a batch is to run again, its result shows whether the connection works.
        if again.isEmpty { noteConnection(opened) }
    }

    private func noteConnection(_ session: WriterSession) {
        if trust.trustsConnections(at: environment.now()) { health.noteSuccess(session.link.host) }
    }
}

extension PostgresError {
    /// Whether a value is the cause: too long, out of range, not unique. The same batch would
    /// always fail.
    fileprivate var isAboutValues: Bool {
        guard case .statement(let state, _) = self else { return false }
        return ["22", "23", "54"].contains { state.code.hasPrefix($0) }
    }
}
