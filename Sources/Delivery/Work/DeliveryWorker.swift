import Platform
import Store

/// Serves one destination: reads the feed, sends what the plan says, and writes the state.
package actor DeliveryWorker {
    /// Nothing it does delays the intake.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        BackgroundExecutor.shared.asUnownedSerialExecutor()
    }

    package nonisolated let destination: Destination
    let source: any RecordSource
    let commitFeed: CommitFeed
    let state: any DeliveryState
    let transport: any DeliveryTransport
    let limits: DeliveryLimits
    let progress: DeliveryProgress
    let clock: any Clock
    let report: @Sendable (DeliveryNotice) -> Void

    /// Nil while another instance serves the destination.
    var plan: DeliveryPlan?
    /// Which store the plan's sequences belong to.
    var store = ""
    /// The lease under which the plan was made.
    var lease: Int64 = 0
    /// Counts the plans: what was begun for an earlier one comes too late.
    var generation = 0
    /// The events whose records are in memory.
    var events: [UInt64: FeedEvent] = [:]
    var flights: [UInt64: Task<Void, Never>] = [:]
    /// What the state is to be told of attempts.
    var log: [LoggedAttempt] = []
    /// What a failed write has left: it comes before anything newer.
    var unwritten: DeliveryWrite?
    /// What the state is to be told of commands, by their ids.
    var answers: [Int64: Int] = [:]
    /// Commands that were carried out and may still be in the state.
    var answered: Set<Int64> = []
    /// Something happened since the state was written.
    var isTouched = false
    var isWriting = false
    var nextWrite: Int64 = 0
    var nextRead: Int64 = 0
    var readTrouble: String?
    var stateTrouble: String?
    var counters = DeliveryCounters()
    let latency = Histogram(bounds: DeliveryWorker.latencyBounds)
    private(set) var isStopping = false

    private var drainEnd = Int64.max
    private var bell: TurnBell

    /// The greatest latencies of the histogram's buckets, in microseconds.
    package static let latencyBounds = [
        5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
        10_000_000, 30_000_000,
    ]
    /// The pause between two writes of the state.
    var writeMicroseconds: Int64 { Int64(limits.stateSecondsMax * 1e6) }
    /// How soon what failed is tried again: the lease, the state, the feed.
    static let retryMicroseconds: Int64 = 1_000_000

    /// - Parameter report: gets what a person should hear of.
    package init(
        _ destination: Destination, source: any RecordSource, commitFeed: CommitFeed,
        state: any DeliveryState, transport: any DeliveryTransport,
        limits: DeliveryLimits = .init(), progress: DeliveryProgress, clock: any Clock,
        report: @escaping @Sendable (DeliveryNotice) -> Void
    ) {
        self.destination = destination
        self.source = source
        self.commitFeed = commitFeed
        self.state = state
        self.transport = transport
        self.limits = limits
        self.progress = progress
        self.clock = clock
        bell = TurnBell(clock: clock)
        self.report = report
    }

    /// Serves until `stop` is called.
    package func run() async {
        let watch = commitFeed.watchRecords()
        let news = Task { [bell] in for await _ in watch.changes { bell.ring() } }
        wake()
        for await _ in bell.rings {
            if plan == nil, !isStopping { await begin() }
            await turn()
            if isStopping, flights.isEmpty || now() >= drainEnd { break }
        }
        watch.end()
        news.cancel()
        await end()
    }

    /// Sends nothing more, waits a while for the answers that are due, and writes the state. `run`
    /// returns then.
    package func stop() {
        guard !isStopping else { return }
        isStopping = true
        drainEnd = now() + Int64(limits.drainSecondsMax * 1e6)
        wake()
    }

    /// Whether a turn has something to do now: one after each answer would be most of the work.
    var needsTurn: Bool {
        guard let plan, !isStopping, let time = bell.time, time > now(), time <= nextWrite
        else { return true }
        return plan.isWorthReading && plan.position < commitFeed.durableSequence
    }

    private func turn() async {
        // The clock may have been set back.
        nextWrite = min(nextWrite, now() + writeMicroseconds)
        nextRead = min(nextRead, now() + Self.retryMicroseconds)
        if !isStopping { await read() }
        send()
        if isTouched {
            if now() >= nextWrite { await write() }
            if isTouched { wake(at: nextWrite) }
        }
        if isStopping { wake(at: drainEnd) }
    }

    // MARK: The lease

    private func begin() async {
        guard let identity = source.identity else {
            return wake(at: now() + Self.retryMicroseconds)
        }
        do throws(DeliveryStateFailure) {
            let opened = try await state.open(destination, store: identity) { [weak self] in
                Task { await self?.meetChange() }
            }
            guard let opened else { return wake(at: now() + Self.retryMicroseconds) }
            store = identity
            lease = opened.lease
            generation += 1
            if let former = opened.formerStore { report(.begunAnew(formerStore: former)) }
            plan = DeliveryPlan(
                destination, opened.state, limits: limits, seed: UInt64.random(in: .min ... .max))
            stateTrouble = nil
            progress.note(opened.state.cursor, of: destination.name)
            report(.leaseTaken)
            // It may have been lost, or asked for, before there was a plan.
            await meetChange()
        } catch {
            meet(stateFailure: error)
            wake(at: now() + Self.retryMicroseconds)
        }
    }

    /// Another instance goes on from what was written.
    func loseLease() {
        report(.leaseLost)
        forget()
        wake(at: now() + Self.retryMicroseconds)
    }

    private func forget() {
        plan = nil
        generation += 1
        for flight in flights.values { flight.cancel() }
        flights = [:]
        events = [:]
        log = []
        answers = [:]
        answered = []
        unwritten = nil
        isTouched = false
    }

    private func end() async {
        for flight in Array(flights.values) {
            flight.cancel()
            await flight.value
        }
        // What a failed write has left, and what came after it.
        for _ in 0..<2 where plan != nil {
            await write()
            // The database is away: each further try would take as long.
            if unwritten != nil { break }
        }
        if plan != nil { await state.release(destination.name) }
        forget()
        bell.cancel()
    }

    /// Whether the lease is surely held: without it nothing is sent.
    var isLeased: Bool { plan != nil && state.holds(lease, of: destination.name) }

    func meet(stateFailure: DeliveryStateFailure) {
        counters.stateFailures += 1
        let sentence = "\(stateFailure)"
        if stateTrouble == nil { report(.stateFailed(sentence)) }
        stateTrouble = sentence
    }

    // MARK: Time

    /// Microseconds of the wall clock.
    func now() -> Int64 { clock.wallMicroseconds }

    func wake() { bell.ring() }

    /// Wakes the worker then, unless it is woken before.
    func wake(at time: Int64) { bell.ring(at: time) }
}
