import Payments
import Platform
import Store

/// Serves one destination: reads the feed, sends what the plan decides, and writes the state.
package actor DeliveryWorker {
    /// Runs at low priority, so that delivery never delays the intake.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        BackgroundExecutor.shared.asUnownedSerialExecutor()
    }

    package nonisolated let destination: DeliveryDestination
    let feed: FeedReader
    private let state: any DeliveryState
    private let transport: any DeliveryTransport
    private let limits: DeliveryLimits
    private let progress: DeliveryProgress
    private let clock: any Clock
    private let report: @Sendable (DeliveryNotice) -> Void

    /// Nil while another instance serves the destination.
    var plan: DeliveryPlan?
    /// The store that the plan's sequences belong to.
    private var store = ""
    /// The lease under which the plan was made.
    private var lease: Int64 = 0
    /// Counts the plans. An answer that arrives for an earlier plan is discarded.
    var generation = 0
    /// Events whose records are in memory.
    var events: [UInt64: FeedEvent] = [:]
    private var attempts: [UInt64: Task<Void, Never>] = [:]
    private var backlog = WriteBacklog()
    private var isWriting = false
    private var nextWrite: Int64 = 0
    private var nextRead: Int64 = 0
    private var health = DeliveryHealth()
    /// Occurs when the lease was asked for once, and the place of a new destination is stored.
    package nonisolated let begun = SingleEvent()
    private var isStopping = false
    private var drainEnd = Int64.max
    private var bell: TurnBell

    /// Pause before a failed step is repeated: taking the lease, using the state, reading the feed.
    private static let retryMicroseconds: Int64 = 1_000_000

    /// - Parameter report: receives what an operator should see.
    package init(
        _ destination: DeliveryDestination, source: any RecordSource, commitFeed: CommitFeed,
        state: any DeliveryState, transport: any DeliveryTransport,
        limits: DeliveryLimits = .init(), progress: DeliveryProgress, clock: any Clock,
        report: @escaping @Sendable (DeliveryNotice) -> Void
    ) {
        self.destination = destination
        feed = FeedReader(source: source, commitFeed: commitFeed)
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
        let watch = feed.commitFeed.watchRecords()
        let ringing = bell.ring(at: watch.changes)
        bell.ring()
        for await _ in bell.rings {
            if plan == nil, !isStopping { await begin() }
            begun.occur()
            await turn()
            if isStopping, attempts.isEmpty || now() >= drainEnd { break }
        }
        watch.end()
        ringing.cancel()
        await end()
    }

    /// Sends nothing more, waits for answers that are due within `drainSecondsMax`, and writes the
    /// state. `run` then returns.
    package func stop() {
        guard !isStopping else { return }
        isStopping = true
        drainEnd = now() + Int64(limits.drainSecondsMax * 1e6)
        bell.ring()
    }

    private func turn() async {
        // The clock may have been set back.
        nextWrite = min(nextWrite, now() + writeMicroseconds)
        nextRead = min(nextRead, now() + Self.retryMicroseconds)
        if !isStopping { await read() }
        send()
        if backlog.isPending {
            if now() >= nextWrite { await write() }
            if backlog.isPending { bell.ring(at: nextWrite) }
        }
        if isStopping { bell.ring(at: drainEnd) }
    }

    /// Whether a turn has something to do now. A turn after each answer would be most of the work.
    private var needsTurn: Bool {
        guard let plan, !isStopping, let time = bell.time, time > now(), time <= nextWrite
        else { return true }
        return plan.isWorthReading && plan.position < feed.commitFeed.durableSequence
    }

    // MARK: The lease

    /// Whether the lease is certainly held. Without it nothing is sent.
    private var isLeased: Bool { plan != nil && state.holds(lease, of: destination.name) }

    private func begin() async {
        guard let identity = feed.source.identity else {
            return bell.ring(at: now() + Self.retryMicroseconds)
        }
        do throws(DeliveryStateFailure) {
            let opened = try await state.open(
                destination, store: identity, newest: try await feed.newest()
            ) { [weak self] in
                Task(executorPreference: WorkerPool.shared) { await self?.stateChanged() }
            }
            guard let opened else { return bell.ring(at: now() + Self.retryMicroseconds) }
            store = identity
            lease = opened.lease
            generation += 1
            if let former = opened.formerStore { report(.restarted(formerStore: former)) }
            let cursor = opened.state.cursor
            if opened.isNew, cursor > 0 { report(.began(after: cursor)) }
            plan = DeliveryPlan(
                destination, opened.state, limits: limits, seed: UInt64.random(in: .min ... .max))
            health.stateWorked()
            progress.note(cursor, of: destination.name)
            report(.leaseTaken)
            // A change that was reported before there was a plan was ignored.
            await stateChanged()
        } catch {
            note(stateFailure: error)
            bell.ring(at: now() + Self.retryMicroseconds)
        }
    }

    /// Handles a call from the state: the lease may be lost, or other instances left commands. Each
    /// command is answered in the write that makes its change durable.
    private func stateChanged() async {
        guard plan != nil else { return }
        guard isLeased else { return loseLease() }
        let generation = generation
        let commands = (try? await state.commands(for: destination.name)) ?? []
        guard generation == self.generation else { return }
        for command in commands where backlog.accepts(command) {
            let changed = await perform(command.command)
            guard generation == self.generation else { return }
            backlog.answer(command, changed: changed)
        }
    }

    /// Forgets the plan; the next holder of the lease continues from what was written.
    private func loseLease() {
        report(.leaseLost)
        forget()
        bell.ring(at: now() + Self.retryMicroseconds)
    }

    private func forget() {
        plan = nil
        generation += 1
        for attempt in attempts.values { attempt.cancel() }
        attempts = [:]
        events = [:]
        backlog = WriteBacklog()
    }

    private func end() async {
        for attempt in Array(attempts.values) {
            attempt.cancel()
            await attempt.value
        }
        // The write that failed, and then everything after it.
        for _ in 0..<2 where plan != nil {
            await write()
            // The database is unavailable: another try would take as long.
            if backlog.failed != nil { break }
        }
        if plan != nil { await state.release(destination.name) }
        forget()
        bell.cancel()
    }

    // MARK: The feed

    /// Reads pages of the feed while the plan has room.
    private func read() async {
        guard let isWorthReading = plan?.isWorthReading, backlog.failed == nil, isWorthReading
        else { return }
        guard now() >= nextRead else { return bell.ring(at: nextRead) }
        let generation = generation
        do throws(ReadFailure) {
            // Does not hold the plan itself: the next change would copy it.
            while let (position, room) = plan.map({ ($0.position, $0.room) }), room > 0,
                !isStopping, generation == self.generation
            {
                let step = try await feed.next(after: position, room: room)
                // The lease may have been lost while the page was read.
                guard generation == self.generation else { return }
                switch step {
                case .atEnd: return health.readWorked()
                case .ahead(let last): return rewind(to: last)
                case .page(let page): try take(page)
                }
                send()
            }
            health.readWorked()
        } catch {
            if let notice = health.readFailed("\(error.reason): \(error.detail)") {
                report(notice)
            }
            nextRead = now() + Self.retryMicroseconds
            bell.ring(at: nextRead)
        }
    }

    private func take(_ page: RecordPage) throws(ReadFailure) {
        guard plan?.position == page.after else { return }
        if let gap = page.gap {
            health.counters.missed += UInt64(gap.count)
            report(.gap(gap))
        }
        backlog.touch()
        for record in page.records {
            let event: FeedEvent?
            do { event = try FeedEvent(record.bytes) } catch {
                // Damage is never skipped: delivery to the destination stops, with an alarm.
                throw ReadFailure("record_unreadable", "record \(record.sequence): \(error)")
            }
            guard let event, destination.filter.admits(event) else {
                plan?.skip(to: record.sequence)
                continue
            }
            let isNew = plan?.take(
                event.sequence, of: event.orders, byteCount: event.record.count,
                received: event.received.microseconds)
            if isNew == true { events[event.sequence] = event }
        }
    }

    /// Forgets records that the store has lost: new ones will have the same sequences.
    private func rewind(to last: UInt64) {
        guard let position = plan?.position else { return }
        report(.positionAhead(position: position, last: last))
        plan?.rewind(to: last)
        events = events.filter { $0.key <= last }
        backlog.touch()
    }

    // MARK: Attempts

    /// Starts the attempts that the plan asks for.
    private func send() {
        let now = now()
        // Checked for each attempt: another instance may send as soon as the lease has expired.
        while !isStopping, isLeased, let action = plan?.next(now: now) {
            switch action {
            case .wait(let until):
                if let until { bell.ring(at: until) }
                return
            case .send(let sequence, let number):
                let event = events[sequence]
                let generation = generation
                attempts[sequence] = Task(executorPreference: BackgroundExecutor.shared) {
                    await self.attempt(sequence, number, event, generation)
                }
            }
        }
    }

    private func attempt(
        _ sequence: UInt64, _ number: Int, _ known: FeedEvent?, _ generation: Int
    ) async {
        let began = now()
        var event = known
        var outcome: AttemptOutcome
        do {
            if event == nil { event = try await kept(sequence) }
            if let event {
                // The lease may have expired while the event was read.
                guard generation == self.generation, isLeased else { return }
                outcome = await transport.attempt(
                    DeliveryMessage(
                        event, store: store, destination: destination.name, attempt: number))
            } else {
                outcome = AttemptOutcome(
                    .failed, latencyMicroseconds: 0, detail: "the state has lost the record")
            }
        } catch {
            outcome = AttemptOutcome(.canceled, latencyMicroseconds: 0)
            note(stateFailure: error as? DeliveryStateFailure ?? .unavailable("\(error)"))
            try? await clock.sleep(microseconds: Self.retryMicroseconds)
        }
        // The lease was lost since: the event may be in flight again.
        guard generation == self.generation else { return }
        finish(sequence, number, event, outcome, began: began)
    }

    /// The event as the state keeps it; nil if it does not.
    private func kept(_ sequence: UInt64) async throws -> FeedEvent? {
        let record = try await state.record(sequence, for: destination.name)
        return try record.flatMap { try FeedEvent($0) }
    }

    /// Applies the outcome of an attempt.
    private func finish(
        _ sequence: UInt64, _ number: Int, _ event: FeedEvent?, _ outcome: AttemptOutcome,
        began: Int64
    ) {
        guard attempts.removeValue(forKey: sequence) != nil, let breaker = plan?.breaker
        else { return }
        let wasPaused = isPaused
        let result = plan?.settle(sequence, outcome, now: now())
        backlog.touch()
        if result == .delivered { events[sequence] = nil }
        if outcome.failure != .canceled {
            let notice = health.count(
                outcome, stillFailing: plan?.failedCount ?? 0, now: now())
            if let notice { report(notice) }
            log(outcome, of: sequence, number, event, began)
        }
        if result == .dead {
            health.counters.dead += 1
            report(
                .dead(
                    sequence: sequence, endpoint: event?.endpoint ?? "",
                    reference: event?.reference ?? "", reason: outcome.reason))
        }
        if !wasPaused, isPaused { report(.gone) }
        reportChange(of: breaker, outcome)
        send()
        if needsTurn { bell.ring() }
    }

    /// Logs a failed attempt, or one that succeeded after others had failed.
    private func log(
        _ outcome: AttemptOutcome, of sequence: UInt64, _ number: Int, _ event: FeedEvent?,
        _ began: Int64
    ) {
        guard !outcome.isSuccess || number > 1 else { return }
        backlog.add(
            LoggedAttempt(
                destination: destination.name, sequence: sequence,
                reference: event?.reference ?? "", began: Timestamp(microseconds: began),
                number: number, outcome: AttemptOutcomeSummary(outcome)),
            countMax: limits.attemptsMax)
    }

    private func reportChange(of before: BreakerState, _ outcome: AttemptOutcome) {
        guard let now = plan?.breaker else { return }
        if before == .closed, now == .open {
            health.counters.breakerOpenings += 1
            report(.breakerOpened(reason: outcome.reason))
        }
        if before != .closed, now == .closed { report(.breakerClosed) }
    }

    // MARK: Writing

    /// The interval between two writes of the state.
    private var writeMicroseconds: Int64 { Int64(limits.stateSecondsMax * 1e6) }

    /// Writes the changes since the last write.
    private func write() async {
        guard plan != nil, !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        nextWrite = now() + writeMicroseconds
        let write = backlog.failed ?? takeWrite()
        let generation = generation
        do throws(DeliveryStateFailure) {
            try await state.write(write)
            guard generation == self.generation else { return }
            backlog.succeed(write)
            health.stateWorked()
            progress.note(write.changes.cursor, of: destination.name)
            for sequence in write.changes.new { events[sequence] = nil }
            if plan?.holdsCursor == true { backlog.touch() }
        } catch {
            // The lease was lost since: this write must not be repeated under a new one.
            guard generation == self.generation else { return }
            guard error != .leaseLost else { return loseLease() }
            backlog.fail(write)
            note(stateFailure: error)
        }
    }

    private func takeWrite() -> DeliveryWrite {
        let changes = plan?.takeChanges() ?? DeliveryChanges(cursor: 0)
        var new: [UInt64: FeedEvent] = [:]
        for sequence in changes.new { new[sequence] = events[sequence] }
        var write = DeliveryWrite(
            destination: destination.name, lease: lease, changes: changes, events: new,
            attempts: [], attemptsMax: limits.attemptsMax)
        backlog.take(into: &write)
        return write
    }

    private func note(stateFailure: DeliveryStateFailure) {
        if let notice = health.stateFailed(stateFailure) { report(notice) }
    }

    /// Carries out a command; returns the number of events that it changed.
    package func perform(_ command: DeliveryCommand) async -> Int {
        let count: Int
        if case .resend(let sequences) = command {
            count = await resend(sequences)
        } else {
            count = plan?.perform(command, now: now()) ?? 0
        }
        backlog.touch()
        nextWrite = 0
        bell.ring()
        return count
    }

    /// Whether this instance serves the destination.
    package var isServing: Bool { plan != nil }

    private var isPaused: Bool { plan.map { $0.pause != nil } ?? false }

    /// Writes the changes so far, so that lists show them.
    package func settle() async { if backlog.isPending { await write() } }

    /// Sends a signed example, also from an instance that does not serve the destination.
    package func test() async -> AttemptOutcome {
        await transport.attempt(
            .example(
                store: store.isEmpty ? feed.source.identity ?? "" : store,
                destination: destination.name, now: Timestamp(microseconds: now())))
    }

    /// The status of the destination.
    package func status() -> DestinationStatus {
        DestinationStatus(
            destination.name, url: transport.shownURL(of: destination.name), plan?.figures, health,
            last: feed.commitFeed.durableSequence, now: now())
    }

    /// Microseconds of the wall clock.
    func now() -> Int64 { clock.wallMicroseconds }
}
