import Ledger
import Platform
import PostgreSQL
import Records
import Store

/// The one thread that writes to the database.
///
/// Its loop: take what waits, run it as one transaction, answer. While a transaction is under way,
/// the next batch gathers. Where the outcome is unknown, or the database is away, the same tasks
/// are run again on a new connection as long as their requests wait: an event that was recorded
/// after all is found by its identity, and is a duplicate then.
final class DatabaseCommitter {
    private let options: DatabaseOptions
    private let environment: DatabaseEnvironment
    private let schema: String
    private let queue: DatabaseQueue
    private let health: DatabaseHealth
    private let commitFeed: CommitFeed
    private let confirmations: Confirmations
    private let counters: DatabaseCounters
    private let connector: DatabaseConnector

    private var session: DatabaseSession?
    /// Tasks whose batch failed; they come first.
    private var again: [BatchTask] = []
    /// This many of them are run each on its own: one of them cannot be stored.
    private var aloneCount = 0
    /// Which record this store began with; another database must not take its place.
    private var store: String?
    private var nextAttempt = MonotonicTime(nanoseconds: 0)
    private var attemptPause: UInt64
    /// After a batch has failed, a connection alone does not show that the next one will not: until
    /// then only a batch that is committed does.
    private var doubt = MonotonicTime(nanoseconds: 0)
    private var doubtSeconds = DatabaseCommitter.doubtSecondsMin

    /// How long the first failure is held against the database, and a row of them at most.
    private static let doubtSecondsMin = 2
    private static let doubtSecondsMax = 10
    /// A task with less time left is not worth a transaction.
    private static let restNanosecondsMin: UInt64 = 50_000_000
    /// How often an idle connection is looked at.
    private static let idleSeconds = 1

    init(
        _ source: LinkSource, options: DatabaseOptions, environment: DatabaseEnvironment,
        queue: DatabaseQueue, health: DatabaseHealth, commitFeed: CommitFeed,
        confirmations: Confirmations, counters: DatabaseCounters
    ) {
        self.options = options
        self.environment = environment
        schema = source.settings.schema
        self.queue = queue
        self.health = health
        self.commitFeed = commitFeed
        self.confirmations = confirmations
        self.counters = counters
        connector = DatabaseConnector(source, environment) { queue.wake() }
        attemptPause = UInt64(options.reconnectMillisecondsMin) * 1_000_000
    }

    /// Serves the queue until it is closed and empty.
    func run() {
        while true {
            guard session != nil else {
                awaitSession()
                if queue.isClosedAndEmpty && again.isEmpty && session == nil { break }
                continue
            }
            var tasks = nextTasks()
            tasks = withoutExpired(tasks)
            if tasks.isEmpty {
                if queue.isClosedAndEmpty && again.isEmpty { break }
                idle()
                continue
            }
            commit(tasks)
        }
        session?.link.close()
        commitFeed.close()
    }

    /// What failed before, else what waits.
    private func nextTasks() -> [BatchTask] {
        var tasks: [BatchTask] = []
        if aloneCount > 0, !again.isEmpty {
            aloneCount -= 1
            return [again.removeFirst()]
        }
        aloneCount = 0
        swap(&tasks, &again)
        queue.take(
            into: &tasks, countMax: options.batchSubmissionsMax - tasks.count,
            bytesMax: options.batchBytesMax)
        return tasks
    }

    private func withoutExpired(_ tasks: [BatchTask]) -> [BatchTask] {
        let limit = environment.now().advanced(nanoseconds: Self.restNanosecondsMin)
        return tasks.filter { task in
            if task.deadline > limit { return true }
            refuse(task, .databaseUnavailable)
            return false
        }
    }

    private func refuse(_ task: BatchTask, _ refusal: StoreRefusal) {
        task.answer(Receipt(.refused(refusal)))
    }

    // MARK: A batch

    private func commit(_ tasks: [BatchTask]) {
        guard var session else { return }
        // Whoever waits in the queue came later, and has more time than the first of these.
        let patience = environment.now().advanced(seconds: options.batchSecondsMax)
        let transaction = BatchTransaction(
            tasks: tasks, schema: schema, factsMax: options.orderFactsMax,
            recordBytesMax: options.recordBytesMax,
            deadline: tasks.reduce(patience) { min($0, $1.deadline) })
        let start = environment.now()
        do throws(BatchTransaction.Failure) {
            let outcome = try transaction.run(&session)
            self.session = session
            counters.countBatch(
                outcome.receipts, records: outcome.recordCount,
                nanoseconds: environment.now().nanoseconds - start.nanoseconds)
            confirmations.note(outcome.sequence, on: session.server)
            // First: whoever has an answer finds what it tells of called durable.
            let hasNews = commitFeed.publish(outcome.sequence, outcome.changed)
            for (task, receipt) in zip(tasks, outcome.receipts) {
                task.answer(receipt)
            }
            health.noteSuccess(session.link.host)
            doubtSeconds = Self.doubtSecondsMin
            attemptPause = UInt64(options.reconnectMillisecondsMin) * 1_000_000
            if hasNews { commitFeed.announce() }
        } catch {
            // Never with a word to the server: whatever it does, it may finish.
            session.link.abandon()
            self.session = nil
            counters.countFailure()
            handle(error, tasks)
        }
    }

    private func handle(_ failure: BatchTransaction.Failure, _ tasks: [BatchTask]) {
        doubt = environment.now().advanced(seconds: doubtSeconds)
        doubtSeconds = min(2 * doubtSeconds, Self.doubtSecondsMax)
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
        postpone()
    }

    private func postpone() {
        nextAttempt = environment.now().advanced(nanoseconds: attemptPause)
        attemptPause = min(
            attemptPause * 2, UInt64(options.reconnectMillisecondsMax) * 1_000_000)
    }

    // MARK: Without a batch

    /// Waits for tasks; every second it looks whether the connection still stands.
    private func idle() {
        let look = environment.now().advanced(seconds: Self.idleSeconds)
        queue.awaitTasks(until: look)
        guard environment.now() >= look, let session else { return }
        do throws(PostgresError) {
            let deadline = environment.now().advanced(seconds: options.batchSecondsMax)
            _ = try session.link.run(Command(Self.ping), until: deadline)
            noteConnection(session)
        } catch {
            session.link.abandon()
            self.session = nil
            health.noteFailure(error.reason, "\(error)")
        }
    }

    private static let ping = Statement(name: "ping", sql: "SELECT version FROM meta")

    /// Waits for a connection, and answers those whose time is up.
    private func awaitSession() {
        if environment.now() >= nextAttempt { connector.begin() }
        switch connector.take() {
        case .session(let opened): adopt(opened)
        case .failure(let failure):
            health.noteFailure(failure.reason, "\(failure)")
            postpone()
        case .pending: queue.sleep(until: waking)
        }
        again = withoutExpired(again)
        let limit = environment.now().advanced(nanoseconds: Self.restNanosecondsMin)
        for task in queue.takeExpired(at: limit) { refuse(task, .databaseUnavailable) }
        if queue.isClosed {
            // Nobody waits for a database that is away when the server stops.
            var rest = again
            again = []
            queue.take(into: &rest, countMax: .max, bytesMax: .max)
            for task in rest { refuse(task, .shuttingDown) }
        }
    }

    /// When there is something to do while there is no connection.
    private var waking: MonotonicTime {
        let attempt = max(nextAttempt, environment.now().advanced(nanoseconds: 1_000_000))
        let soon = environment.now().advanced(seconds: 1)
        let first = again.reduce(queue.firstDeadline) { min($0, $1.deadline) }
        return min(connector.isConnecting ? soon : attempt, first, soon)
    }

    private func adopt(_ opened: DatabaseSession) {
        if let store, store != opened.store {
            opened.link.close()
            health.noteFailure(
                "database_replaced",
                "the database holds the store \(opened.store), and \(store) was used before; "
                    + "correct the connection string, or restart to go on with this one")
            return postpone()
        }
        store = opened.store
        session = opened
        health.noteConnection()
        // A batch that is to be run again says whether it is well.
        if again.isEmpty { noteConnection(opened) }
    }

    private func noteConnection(_ session: DatabaseSession) {
        if environment.now() >= doubt { health.noteSuccess(session.link.host) }
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
