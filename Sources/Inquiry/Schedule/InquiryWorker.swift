import Payments
import Platform
import Providers
import Store

/// Asks one endpoint's provider about the orders that are due.
actor InquiryWorker {
    /// Runs at low priority, so that it never delays the intake.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        BackgroundExecutor.shared.asUnownedSerialExecutor()
    }

    nonisolated let endpoint: String
    private let service: InquiryService
    private let orders: any OpenOrders
    private let commitFeed: CommitFeed
    private let turns: any InquiryTurns
    private let clock: any Clock
    private let report: @Sendable (InquiryNotice) -> Void

    private var schedule: InquirySchedule
    /// Nil while another instance asks.
    private var plan: InquiryPlan?
    private var times: DueTimes
    /// Counts the plans. An answer that arrives for an earlier plan is discarded.
    private var generation = 0
    private var questions: [ExactText: Task<Void, Never>] = [:]
    /// The index is complete up to this time when it has this record.
    private var mark: (time: Int64, sequence: UInt64)?
    private var nextLook: Int64 = 0
    private var notices = NoticeFilter()
    private var ended = 0
    private var isStopping = false
    private var drainEnd = Int64.max

    private var bell: TurnBell

    /// Largest number of orders that one look reads.
    private static let pageOrdersMax = 1000
    /// Bounds of the interval between two looks for due orders, which is a tenth of the shortest
    /// time in the schedule.
    private static let lookMicroseconds: ClosedRange<Int64> = 20_000...10_000_000
    /// Pause before a failed step is repeated: taking the turn, reading the index.
    private static let retryMicroseconds: Int64 = 1_000_000
    /// Time that a stop waits for answers.
    private static let drainMicroseconds: Int64 = 3_000_000

    init(
        _ endpoint: String, _ schedule: InquirySchedule, service: InquiryService,
        orders: any OpenOrders, commitFeed: CommitFeed, turns: any InquiryTurns, clock: any Clock,
        report: @escaping @Sendable (InquiryNotice) -> Void
    ) {
        self.endpoint = endpoint
        self.schedule = schedule
        self.service = service
        self.orders = orders
        self.commitFeed = commitFeed
        self.turns = turns
        self.clock = clock
        bell = TurnBell(clock: clock)
        self.report = report
        times = DueTimes(schedule)
    }

    /// Asks until `stop` is called.
    func run() async {
        wake()
        for await _ in bell.rings {
            if plan == nil, !isStopping { await begin() }
            if plan != nil, !isStopping { await turn() }
            if isStopping {
                if questions.isEmpty || now >= drainEnd { break }
                wake(at: drainEnd)
            }
        }
        for question in Array(questions.values) {
            question.cancel()
            await question.value
        }
        if plan != nil { await turns.release(endpoint) }
        plan = nil
        bell.cancel()
    }

    /// Asks nothing more, and waits for answers for `drainMicroseconds`. `run` then returns.
    func stop() {
        guard !isStopping else { return }
        isStopping = true
        drainEnd = now + Self.drainMicroseconds
        wake()
    }

    /// Continues by the schedule of a reread configuration.
    func replace(_ schedule: InquirySchedule) {
        guard schedule != self.schedule else { return }
        self.schedule = schedule
        if plan != nil { makePlan() }
        wake()
    }

    func status() -> InquiryStatus {
        var status = InquiryStatus(endpoint: endpoint, isServed: plan != nil)
        status.trouble = notices.trouble
        status.ended = ended
        guard let plan else { return status }
        status.waiting = plan.waiting.count
        status.inFlight = plan.inFlight.count
        status.isBreakerOpen = !plan.breaker.isClosed
        let now = now
        var oldest = plan.oldestDue ?? now
        // Orders that could not be read, or did not fit, have waited at least since then.
        if !times.rest.isEmpty || notices.trouble != nil, let through = times.through {
            oldest = min(oldest, through)
        }
        status.oldestSeconds = Double(max(0, now - oldest)) / 1e6
        return status
    }

    // MARK: Other instances

    private func begin() async {
        do throws(InquiryTurnFailure) {
            let isOurs = try await turns.take(endpoint) { [weak self] in
                Task(executorPreference: WorkerPool.shared) { await self?.loseTurn() }
            }
            guard isOurs else { return wake(at: now + Self.retryMicroseconds) }
            report(.turnTaken)
            makePlan()
        } catch {
            log(notices.failed(error.reason))
            wake(at: now + Self.retryMicroseconds)
        }
    }

    private func makePlan() {
        generation += 1
        for question in questions.values { question.cancel() }
        questions = [:]
        plan = InquiryPlan(schedule)
        times = DueTimes(schedule)
        mark = nil
        nextLook = 0
    }

    private func loseTurn() {
        guard plan != nil, !turns.holds(endpoint) else { return }
        report(.turnLost)
        makePlan()
        plan = nil
        wake()
    }

    // MARK: Due orders

    private func turn() async {
        // The clock may have been set back.
        nextLook = min(nextLook, now + Self.lookMicroseconds.upperBound)
        if now >= nextLook { await look() }
        ask()
        wake(at: nextLook)
    }

    private var lookMicroseconds: Int64 {
        let tenth = Int64((schedule.schedule.first ?? 0) * 1e5)
        return min(max(tenth, Self.lookMicroseconds.lowerBound), Self.lookMicroseconds.upperBound)
    }

    private func look() async {
        let generation = generation
        do throws(ReadFailure) {
            let mark = mark ?? (now, commitFeed.durableSequence)
            self.mark = mark
            guard try await orders.sequence() >= mark.sequence else {
                nextLook = now + lookMicroseconds
                return
            }
            let oldest = try await orders.oldestOpen(endpoint)
            guard generation == self.generation, plan != nil else { return }
            times.advance(to: mark.time, oldest: oldest?.microseconds)
            if times.rest.isEmpty { self.mark = nil }
            try await read()
            log(notices.worked())
        } catch {
            log(notices.failed(error.detail))
            nextLook = now + Self.retryMicroseconds
        }
    }

    private func read() async throws(ReadFailure) {
        let generation = generation
        nextLook = now + lookMicroseconds
        guard !times.rest.isEmpty, let room = plan?.room, room > 0 else { return }
        let page = try await orders.open(
            OpenOrderQuery(
                endpoint: endpoint, spans: times.rest, activeSince: times.activeSince(now),
                limit: min(room, Self.pageOrdersMax)))
        guard generation == self.generation else { return }
        let now = now
        for order in page.orders {
            guard let due = times.due(of: order, now: now) else { continue }
            plan?.add(
                order, due: due, isLast: times.isLast(due, of: order),
                chance: Double.random(in: 0..<1))
        }
        times.keep(page.rest)
        if page.rest.isEmpty { mark = nil } else { nextLook = now }
    }

    // MARK: Asking

    /// Asks the questions of the plan.
    private func ask() {
        // Checked for each question: another instance may ask as soon as the lease has expired.
        while !isStopping, turns.holds(endpoint), let step = plan?.next(now: now) {
            switch step {
            case .wait(let until):
                if let until { wake(at: until) }
                return
            case .ask(let reference):
                if let seconds = service.takeToken(endpoint) {
                    return wake(at: now + Int64(seconds * 1e6) + 1)
                }
                plan?.begin(reference)
                let generation = generation
                questions[ExactText(reference)] = Task(
                    executorPreference: BackgroundExecutor.shared
                ) {
                    await self.ask(reference, generation)
                }
            }
        }
    }

    private func ask(_ reference: String, _ generation: Int) async {
        let outcome: InquiryPlan.Outcome
        var found: InquiryReport?
        do throws(InquiryRefusal) {
            found = try await service.askIfOpen(
                OrderName(endpoint: endpoint, reference: reference))
            outcome = found.map { InquiryPlan.Outcome($0) } ?? .notNeeded
        } catch {
            switch error {
            case .notConfigured, .notListed: outcome = .notNeeded
            case .tooSoon(let seconds): outcome = .tooSoon(seconds: seconds)
            case .unreadable, .notStored: outcome = .notStored
            }
        }
        guard generation == self.generation else { return }
        questions[ExactText(reference)] = nil
        let wasClosed = plan?.breaker.isClosed ?? true
        if plan?.settle(reference, outcome, now: now) == true { await countEnded(reference) }
        if let found { log(notices.reported(found, of: reference)) }
        let isClosed = plan?.breaker.isClosed ?? true
        if wasClosed, !isClosed { report(.breakerOpened(reason: found?.reason ?? "")) }
        if !wasClosed, isClosed { report(.breakerClosed) }
        wake()
    }

    /// Counts an order whose schedule has ended, unless the answer has settled it.
    private func countEnded(_ reference: String) async {
        let name = OrderName(endpoint: endpoint, reference: reference)
        if await service.isOpen(name) { ended += 1 }
    }

    private func log(_ notices: [InquiryNotice]) {
        for notice in notices { report(notice) }
    }

    // MARK: Time

    private var now: Int64 { clock.wallMicroseconds }

    private func wake() { bell.ring() }

    /// Starts a turn at that time, unless one starts before.
    private func wake(at time: Int64) { bell.ring(at: time) }
}
