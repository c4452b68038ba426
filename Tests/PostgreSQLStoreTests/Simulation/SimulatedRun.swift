import DatabaseSimulation
import Payments
import Platform
import PostgreSQL
import Records
import Store
import Synchronization

@testable import PostgreSQLStore

/// One history on instances of a simulated cluster, with readers, and a book of the acknowledged
/// and shown records.
///
/// Instances are the store's own committer with its queue and connector, readers its own sessions.
/// Each has a thread, and they take turns: see `FaultyDatabase`.
final class SimulatedRun: Sendable {
    private struct Instance {
        var rounds: [[Int]]
        /// Notifications that it has received and not answered.
        var waiting: [Int] = []
        var process: Process?
        /// Incremented when its process is killed: answers from before are discarded.
        var generation = 0
        var isKilled = false
    }

    /// The shared parts of an instance.
    private struct Process {
        let queue: DatabaseQueue
        let commitFeed = CommitFeed()
        let confirmations: Confirmations
        let health: DatabaseHealth
    }

    private struct State {
        var instances: [Instance]
        var book: RunBook
        var isOver = false
    }

    let history: History
    let database: FaultyDatabase
    private let options: DatabaseOptions
    private let splitsRequests: Bool
    private let wrap: @Sendable (LinkSource) -> LinkSource
    private let state: Mutex<State>
    private let kill: KillSwitch

    /// - Parameters:
    ///   - splitsRequests: Plants a mistake: the events of a request are submitted one by one.
    ///   - wrap: Plants a mistake between the store and its connections.
    init(
        _ history: History, plan: [Int: [SimulatedFault]] = [:],
        order: FaultyDatabase.Order = .stay, splitsRequests: Bool = false,
        wrap: @escaping @Sendable (LinkSource) -> LinkSource = { $0 }
    ) {
        let kill = KillSwitch()
        self.kill = kill
        self.history = history
        self.splitsRequests = splitsRequests
        self.wrap = wrap
        var options = DatabaseOptions()
        options.batchSubmissionsMax = history.batchMax
        if history.isSealed { options.masterKeys = History.masters }
        self.options = options
        database = FaultyDatabase(
            clients: history.rounds.count * 2, processes: history.rounds.count, plan: plan,
            order: order
        ) { kill.kill($0) }
        state = Mutex(
            State(
                instances: history.rounds.map { Instance(rounds: $0) },
                book: RunBook(requests: history.requests)))
    }

    /// Plays it to the end, repairs the cluster, and checks. Returns the violations.
    func play() -> [String] {
        kill.action.withLock { action in action = { [weak self] in self?.kill($0) } }
        let instances = history.rounds.indices.map { instance -> @Sendable () -> Void in
            { [self] in serve(instance) }
        }
        // The first instance also has a reader, the second one follows the others.
        let readers = history.rounds.indices.map { instance -> @Sendable () -> Void in
            { [self] in instance % 2 == 0 ? read(instance) : follow(instance) }
        }
        database.run(instances + readers)
        database.heal()
        var judge = RunJudge(history, state.withLock { $0.book }, database)
        judge.judge()
        // None of it depends on the primary alone.
        database.failOver()
        judge.judgeAfterFailover()
        return judge.violations
    }

    // MARK: Instances

    private func serve(_ instance: Int) {
        repeat {
            let process = Process(
                queue: DatabaseQueue(
                    submissionsMax: options.queueSubmissionsMax, bytesMax: options.queueBytesMax,
                    environment: environment),
                confirmations: Confirmations(
                    millisecondsMin: options.confirmMillisecondsMin, environment: environment),
                health: DatabaseHealth(
                    patienceSeconds: options.requestSecondsMax, clock: environment.clock
                ) { _ in })
            let isOver = state.withLock { state in
                state.instances[instance].process = process
                return state.isOver
            }
            if isOver { process.queue.close() }
            give(instance)
            DatabaseCommitter(
                wrap(database.source(instance)), options: options, environment: environment,
                queue: process.queue, health: process.health, commitFeed: process.commitFeed,
                confirmations: process.confirmations, counters: DatabaseCounters(),
                keys: RecordKeys()
            ).run()
            noteDurable(process)
        } while revive(instance)
    }

    private func noteDurable(_ process: Process) {
        let (durable, survivors) = (process.commitFeed.durableSequence, database.survivingRecords)
        state.withLock { $0.book.noteDurable(durable, survivors) }
    }

    private var environment: DatabaseEnvironment {
        var environment = DatabaseEnvironment(clock: database.clock)
        environment.sleep = { [database] in database.rest(until: $0) }
        environment.start = { $0() }
        return environment
    }

    private func revive(_ instance: Int) -> Bool {
        let wasKilled = state.withLock { state in
            defer { state.instances[instance].isKilled = false }
            return state.instances[instance].isKilled
        }
        if wasKilled { database.revive(instance) }
        return wasKilled
    }

    private func kill(_ client: Int) {
        let queue = state.withLock { state -> DatabaseQueue? in
            guard state.instances.indices.contains(client) else { return nil }
            state.instances[client].generation += 1
            state.instances[client].isKilled = true
            // Their senders get no answer, and try again.
            let waiting = state.instances[client].waiting
            state.instances[client].waiting = []
            if !waiting.isEmpty { Self.retry(waiting, after: client, &state) }
            return state.instances[client].process?.queue
        }
        queue?.close()
        giveAll()
    }

    // MARK: Senders

    private static func retry(_ notes: [Int], after instance: Int, _ state: inout State) {
        state.instances[(instance + 1) % state.instances.count].rounds.append(notes)
    }

    private func giveAll() {
        for instance in history.rounds.indices { give(instance) }
        endIfDone()
    }

    /// Gives an instance its next round, after it has answered the one before.
    private func give(_ instance: Int) {
        let (round, queue, generation) = state.withLock {
            state -> ([Int], DatabaseQueue?, Int) in
            let one = state.instances[instance]
            guard one.waiting.isEmpty, !one.isKilled, !one.rounds.isEmpty, !state.isOver,
                let process = one.process
            else {
                return ([], nil, 0)
            }
            state.instances[instance].waiting = one.rounds[0]
            state.instances[instance].rounds.removeFirst()
            return (one.rounds[0], process.queue, one.generation)
        }
        if history.sharesRequests && !splitsRequests {
            submit(round, to: queue, of: instance, generation)
            return database.wake(instance)
        }
        for note in round {
            let deadline = database.now.advanced(seconds: options.requestSecondsMax)
            let task = BatchTask(content(of: note), byteCount: 100, deadline: deadline) {
                [self] in answered(instance, generation, note, $0.first!)
            }
            if let refusal = queue?.add(task) {
                answered(instance, generation, note, Receipt(.refused(refusal)))
            }
        }
        database.wake(instance)
    }

    private func content(of note: Int) -> BatchTask.Content {
        guard note == History.erasure else {
            return .submission(QueuedSubmission(history.submission(note)))
        }
        let known = state.withLock { $0.book.acknowledged.map(\.sequence) }
        return .act(History.act(erasing: ErasedRecords(known.isEmpty ? [1] : known)))
    }

    /// Submits a round as the events of one request.
    private func submit(
        _ round: [Int], to queue: DatabaseQueue?, of instance: Int, _ generation: Int
    ) {
        guard !round.isEmpty else { return }
        let task = BatchTask(
            .request(history.submissions(round).map { QueuedSubmission($0) }), byteCount: 100,
            deadline: database.now.advanced(seconds: options.requestSecondsMax)
        ) {
            [self] in answered(instance, generation, round, Array($0))
        }
        if let refusal = queue?.add(task) { task.refuse(refusal) }
    }

    private func answered(
        _ instance: Int, _ generation: Int, _ round: [Int], _ receipts: [Receipt]
    ) {
        let survivors = database.survivingRecords
        state.withLock { state in
            guard state.instances[instance].generation == generation else { return }
            guard state.instances[instance].waiting == round, receipts.count == round.count else {
                return state.book.add("request \(round) was answered twice, or \(receipts)")
            }
            state.instances[instance].waiting = []
            let stored = receipts.compactMap(\.sequence)
            if stored.isEmpty { return Self.retry(round, after: instance, &state) }
            if stored.count != round.count {
                state.book.add("request \(round) was answered in part: \(receipts)")
            }
            for (note, receipt) in zip(round, receipts) {
                state.book.noteAnswer(note, receipt, survivors)
            }
        }
        giveAll()
    }

    private func answered(_ instance: Int, _ generation: Int, _ note: Int, _ receipt: Receipt) {
        let survivors = database.survivingRecords
        state.withLock { state in
            guard state.instances[instance].generation == generation else { return }
            guard let place = state.instances[instance].waiting.firstIndex(of: note) else {
                return state.book.add("note \(note) was answered twice")
            }
            state.instances[instance].waiting.remove(at: place)
            guard case .refused(let refusal) = receipt.outcome else {
                if note == History.erasure {
                    return state.book.noteErasure(receipt, survivors)
                }
                return state.book.noteAnswer(note, receipt, survivors)
            }
            if refusal == .databaseRefused { state.book.add("note \(note) cannot be kept") }
            Self.retry([note], after: instance, &state)
        }
        giveAll()
    }

    private func endIfDone() {
        let isOverdue = database.isOverdue
        let queues = state.withLock { state -> [DatabaseQueue] in
            let isDone = state.instances.allSatisfy { $0.rounds.isEmpty && $0.waiting.isEmpty }
            guard isDone || isOverdue, !state.isOver else { return [] }
            if !isDone { state.book.add("it does not come to an end") }
            state.isOver = true
            return state.instances.compactMap { $0.process?.queue }
        }
        for queue in queues { queue.close() }
        if !queues.isEmpty { for instance in history.rounds.indices { database.wake(instance) } }
    }

    // MARK: Readers

    private func read(_ instance: Int) {
        let client = history.rounds.count + instance
        var reader = SimulatedReader(wrap(database.source(client)), history: history)
        while true {
            let (isOver, process) = state.withLock {
                ($0.isOver, $0.instances[instance].process)
            }
            if let process {
                for shown in reader.read(process.confirmations) {
                    let survivors = database.survivingRecords
                    state.withLock { $0.book.noteShown(shown, to: client, survivors) }
                }
            }
            // The records that each instance publishes as durable to its own readers.
            for process in state.withLock({ $0.instances.compactMap(\.process) }) {
                noteDurable(process)
            }
            endIfDone()
            if isOver { return }
            pause(client)
        }
    }

    private func follow(_ instance: Int) {
        let client = history.rounds.count + instance
        while true {
            let (isOver, process) = state.withLock {
                ($0.isOver, $0.instances[instance].process)
            }
            if isOver { return }
            if let process {
                DatabaseFollower(
                    wrap(database.source(client)), process.confirmations,
                    commitFeed: process.commitFeed, health: process.health,
                    secondsMax: options.readSecondsMax
                ).run()
                noteDurable(process)
            }
            pause(client)
        }
    }

    private func pause(_ client: Int) {
        let pause = database.now.advanced(nanoseconds: 500_000_000)
        database.await(client, messages: 3, until: pause)
    }
}

/// Holds the action of a kill, which is defined after the database that kills.
private final class KillSwitch: Sendable {
    let action = Mutex<@Sendable (Int) -> Void> { _ in }

    func kill(_ client: Int) {
        let action = action.withLock { $0 }
        action(client)
    }
}
