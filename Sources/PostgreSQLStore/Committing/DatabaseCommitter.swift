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
    let options: DatabaseOptions
    let environment: DatabaseEnvironment
    private let schema: String
    let queue: DatabaseQueue
    let health: DatabaseHealth
    private let commitFeed: CommitFeed
    private let confirmations: Confirmations
    private let counters: DatabaseCounters
    let connector: DatabaseConnector

    var session: DatabaseSession?
    /// Tasks whose batch failed; they come first.
    var again: [BatchTask] = []
    /// This many of them are run each on its own: one of them cannot be stored.
    private var aloneCount = 0
    /// Which record this store began with; another database must not take its place.
    var store: String?
    var trust: DatabaseTrust
    private var gathering = BatchGathering()
    private var news = NewsSpacing()

    /// A task with less time left is not worth a transaction.
    static let restNanosecondsMin: UInt64 = 50_000_000
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
            var tasks = nextTasks()
            tasks = withoutExpired(tasks)
            if tasks.isEmpty {
                if queue.isClosedAndEmpty && again.isEmpty { break }
                idle()
                continue
            }
            commit(tasks)
        }
        if news.isOwed { tellNews() }
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
        if tasks.isEmpty, gathering.count > 0 {
            let end = environment.now().advanced(nanoseconds: gathering.nanoseconds)
            queue.gather(gathering.count, until: end)
        }
        queue.take(
            into: &tasks, countMax: options.batchSubmissionsMax - tasks.count,
            bytesMax: options.batchBytesMax)
        return tasks
    }

    func withoutExpired(_ tasks: [BatchTask]) -> [BatchTask] {
        let limit = environment.now().advanced(nanoseconds: Self.restNanosecondsMin)
        return tasks.filter { task in
            if task.deadline > limit { return true }
            refuse(task, .databaseUnavailable)
            return false
        }
    }

    func refuse(_ task: BatchTask, _ refusal: StoreRefusal) {
        task.answer(Receipt(.refused(refusal)))
    }

    // MARK: A batch

    private func commit(_ tasks: [BatchTask]) {
        guard var session else { return }
        let start = environment.now()
        // Whoever waits in the queue came later, and has more time than the first of these.
        let patience = start.advanced(seconds: options.batchSecondsMax)
        let transaction = BatchTransaction(
            tasks: tasks, schema: schema, factsMax: options.orderFactsMax,
            recordBytesMax: options.recordBytesMax,
            notifies: news.isDue(at: start),
            deadline: tasks.reduce(patience) { min($0, $1.deadline) })
        do throws(BatchTransaction.Failure) {
            let known = session.sequence
            let outcome = try transaction.run(&session)
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
            publish(outcome, notified: transaction.notifies)
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
            handle(error, tasks)
        }
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

    // MARK: Without a batch

    /// Waits for tasks; every second it looks whether the connection still stands.
    private func idle() {
        let look = environment.now().advanced(seconds: Self.idleSeconds)
        queue.awaitTasks(until: min(look, news.deadline))
        if news.isOwed, environment.now() >= news.deadline { return tellNews() }
        if environment.now() >= look { tryConnection(Command(Self.ping)) }
    }

    /// Tells all instances' readers what they were not told of with its batch.
    private func tellNews() {
        commitFeed.announce()
        news.noteTold(at: environment.now())
        tryConnection(Command(Self.notify).with(schema))
    }

    private func tryConnection(_ command: Command) {
        guard let session else { return }
        do throws(PostgresError) {
            let deadline = environment.now().advanced(seconds: options.batchSecondsMax)
            _ = try session.link.run(command, until: deadline)
            noteConnection(session)
        } catch {
            session.link.abandon()
            self.session = nil
            health.noteFailure(error.reason, "\(error)")
        }
    }

    private static let ping = Statement(name: "ping", sql: "SELECT version FROM meta")
    private static let notify = Statement(name: "notify", sql: "SELECT pg_notify($1, '')")
}

extension PostgresError {
    /// Whether a value is the cause: too long, out of range, not unique. The same batch would fail
    /// for ever.
    fileprivate var isAboutValues: Bool {
        guard case .statement(let state, _) = self else { return false }
        return ["22", "23", "54"].contains { state.code.hasPrefix($0) }
    }
}
