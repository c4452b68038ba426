import Ledger
import Platform
import PostgreSQL
import Records
import Store

/// The one thread that writes to the database.
///
/// Its loop: take what waits, run it as one transaction, answer. While a transaction is under way,
/// the next batch gathers; when enough has come by the time the commit is sent, it begins behind
/// that. Where the outcome is unknown, or the database is away, the same tasks
/// are run again on a new connection as long as their requests wait: an event that was recorded
/// after all is found by its identity, and is a duplicate then.
final class DatabaseCommitter {
    let options: DatabaseOptions
    let environment: DatabaseEnvironment
    let schema: String
    let queue: DatabaseQueue
    let health: DatabaseHealth
    let commitFeed: CommitFeed
    let confirmations: Confirmations
    let counters: DatabaseCounters
    let connector: DatabaseConnector

    var session: DatabaseSession?
    /// Tasks whose batch failed; they come first.
    var again: [BatchTask] = []
    /// This many of them are run each on its own: one of them cannot be stored.
    var aloneCount = 0
    /// The batch whose beginning was sent behind the last commit.
    var begun: BatchTransaction?
    /// Which record this store began with; another database must not take its place.
    var store: String?
    var trust: DatabaseTrust
    var gathering = BatchGathering()
    var news = NewsSpacing()

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
            let begun = takeBegun()
            let tasks = begun?.tasks ?? withoutExpired(nextTasks())
            if tasks.isEmpty {
                if queue.isClosedAndEmpty && again.isEmpty { break }
                idle()
                continue
            }
            commit(tasks, begun)
        }
        if news.isOwed { tellNews() }
        session?.link.close()
        commitFeed.close()
    }

    private func takeBegun() -> BatchTransaction? {
        defer { begun = nil }
        return begun
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
