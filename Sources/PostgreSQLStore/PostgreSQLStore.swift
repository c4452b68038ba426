import Payments
import Platform
import PostgreSQL
import Records
import Store

/// The store in a PostgreSQL database, which any number of equal instances share. Together they
/// have one record.
///
/// Any number of tasks may call it. Their submissions meet in a bounded queue; one thread, the
/// committer, writes them and resumes the tasks. If the database is away they wait, and are refused
/// when their time is up.
///
/// Readers (`records`, `lists` and `order`) have separate connections and threads.
package final class PostgreSQLStore: Store {
    /// Whether the database answers.
    package let health: DatabaseHealth
    /// The keys of its records; empty while they are stored as they are, and before the database
    /// was reached.
    package let keys = RecordKeys()
    /// The reader of all queries.
    let reader: DatabaseReader
    /// The records that a synchronous commit has confirmed, for the readers that wait for them.
    package let commitFeed = CommitFeed()
    private let queue: DatabaseQueue
    private let counters = DatabaseCounters()
    private let options: DatabaseOptions
    private let environment: DatabaseEnvironment
    private let retention: RetentionSignal

    /// Starts the committer, which connects by itself.
    ///
    /// - Parameter report: Called once for each change that an operator should see.
    package init(
        _ source: LinkSource, options: DatabaseOptions = DatabaseOptions(),
        environment: DatabaseEnvironment,
        report: @escaping @Sendable (DatabaseHealth.Change) -> Void = { _ in }
    ) {
        self.options = options
        self.environment = environment
        retention = RetentionSignal(clock: environment.clock)
        health = DatabaseHealth(
            patienceSeconds: options.requestSecondsMax, clock: environment.clock, report: report)
        queue = DatabaseQueue(
            submissionsMax: options.queueSubmissionsMax, bytesMax: options.queueBytesMax,
            environment: environment)
        let confirmations = Confirmations(
            millisecondsMin: options.confirmMillisecondsMin, environment: environment)
        reader = DatabaseReader(
            source, confirmations, connectionsMax: options.readConnectionsMax,
            secondsMax: options.readSecondsMax)
        let (queue, health, commitFeed, counters) = (queue, health, commitFeed, counters)
        let keys = keys
        PlatformThread.detached(name: "ipnd-database") {
            DatabaseCommitter(
                source, options: options, environment: environment, queue: queue, health: health,
                commitFeed: commitFeed, confirmations: confirmations, counters: counters,
                keys: keys
            ).run()
        }
        if options.retains { startRetention(source) }
        guard options.followsOthers else { return }
        PlatformThread.detached(name: "ipnd-follow") {
            DatabaseFollower(
                source, confirmations, commitFeed: commitFeed, health: health,
                secondsMax: options.readSecondsMax
            ).run()
        }
    }

    private func startRetention(_ source: LinkSource) {
        let (options, signal, clock) = (options, retention, environment.clock)
        PlatformThread.detached(name: "ipnd-retention") {
            DatabaseRetention(source, options: options, signal: signal, clock: clock).run()
        }
    }

    package convenience init(
        _ string: ConnectionString, _ settings: SessionSettings,
        options: DatabaseOptions = DatabaseOptions(), clock: any Clock,
        report: @escaping @Sendable (DatabaseHealth.Change) -> Void = { _ in }
    ) {
        self.init(
            LinkSource(string, settings, clock: clock), options: options,
            environment: DatabaseEnvironment(clock: clock), report: report)
    }

    /// Waits for a synchronous commit that confirms every row that was visible before the call, so
    /// that it may be shown to a reader. Returns false if the database is away.
    package func confirm() async -> Bool {
        if case .refused = await submitOne(.confirmation, byteCount: 0).outcome { return false }
        return true
    }

    /// Submits what has one receipt.
    private func submitOne(_ content: BatchTask.Content, byteCount: Int) async -> Receipt {
        await withUnsafeContinuation { continuation in
            submit(content, byteCount: byteCount) { continuation.resume(returning: $0.first!) }
        }
    }

    private func submit(
        _ content: BatchTask.Content, byteCount: Int,
        _ answer: @escaping @Sendable (ArraySlice<Receipt>) -> Void
    ) {
        let deadline = environment.now().advanced(seconds: options.requestSecondsMax)
        let task = BatchTask(content, byteCount: byteCount, deadline: deadline, answer: answer)
        let refusal = health.refuses ? .databaseUnavailable : queue.add(task)
        if let refusal { task.refuse(refusal) }
    }
}

extension PostgreSQLStore {
    package func record(_ submission: consuming Submission) async -> Receipt {
        let byteCount = submission.byteCount
        return await submitOne(.submission(QueuedSubmission(submission)), byteCount: byteCount)
    }

    package func record(_ events: [Submission]) async -> [Receipt] {
        let byteCount = events.sharedByteCount
        let queued = events.map { QueuedSubmission($0) }
        return await withUnsafeContinuation { continuation in
            submit(.request(queued), byteCount: byteCount) {
                continuation.resume(returning: Array($0))
            }
        }
    }

    package func register(_ registration: Registration) async -> Receipt {
        await submitOne(.registration(registration), byteCount: registration.metadata.count)
    }

    package func act(_ act: Act) async -> ActReceipt {
        ActReceipt(await submitOne(.act(act), byteCount: act.byteCount))
    }

    package func order(
        endpoint: String, reference: String
    ) async throws(ReadFailure) -> OrderView? {
        try await reader.order(.reference(endpoint: endpoint, reference))
    }

    package func order(
        endpoint: String, unjoined id: String
    ) async throws(ReadFailure) -> OrderView? {
        try await reader.order(.unjoined(endpoint: endpoint, id))
    }

    package func orders(
        knownAs text: String, endpoint: String?
    ) async throws(ReadFailure) -> [OrderView] {
        try await reader.read { session throws(PostgresError) in
            try session.orders(knownAs: text, endpoint: endpoint)
        }
    }

    /// The records, for the feed.
    package var records: DatabaseRecords {
        DatabaseRecords(reader: reader, health: health, commitFeed: commitFeed)
    }

    package var lists: DatabaseLists { DatabaseLists(reader: reader) }

    /// The orders about which a provider may be asked.
    package var openOrders: DatabaseOpenOrders { DatabaseOpenOrders(reader: reader) }

    /// The current figures; cheap, from any thread.
    package var figures: DatabaseFigures {
        DatabaseFigures(counters, queueLength: queue.count, isUp: health.reason == nil)
    }

    /// Refuses further submissions.
    func beginClosing() {
        queue.close()
        retention.close()
    }

    /// Refuses further submissions, commits the accepted ones if the database answers, and
    /// disconnects.
    package func close() async {
        beginClosing()
        let watch = commitFeed.watchRecords()
        if commitFeed.isClosed { return }
        for await _ in watch.changes {}
    }
}
