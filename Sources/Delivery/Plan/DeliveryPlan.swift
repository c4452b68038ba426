import Platform

/// Decides what is delivered next to one destination. No clock, no I/O: events and outcomes
/// in, attempts and changes of the state out.
///
/// The store's feed is the outbox. The plan takes events from it in order while it has room, and
/// remembers those that are not delivered yet. An event that is delivered at once only moves the
/// cursor; one that fails or takes long is kept in the state, with the later events of its order.
package struct DeliveryPlan: Sendable {
    package let destination: DeliveryDestination
    private let limits: DeliveryLimits
    /// Not private: the model tests plant defects in it.
    var lanes = LaneTable()
    private var ready = ReadyQueue()
    private var pace: Pace
    /// Source of the jitter: two plans with one seed decide alike.
    private var generator: SplitMix64
    /// The last record of the feed that was taken.
    package private(set) var position: UInt64
    /// Why nothing is sent until `resume`; nil while events are sent.
    package private(set) var pause: PauseReason?
    /// Events that are in memory only: the cursor is before the first of them.
    private var unkept: Set<UInt64> = []
    /// Kept events whose row in the state is missing or out of date.
    private var dirty: Set<UInt64> = []
    /// Events whose row is to be deleted from the state.
    private var settled: [UInt64] = []
    private(set) var inFlight: Set<UInt64> = []
    /// The events in flight that failed before.
    private var retriesInFlight: Set<UInt64> = []
    private var lastWasRetry = false
    /// Bytes of the records that the state does not have.
    private var unstoredBytes = 0
    private var deadCount = 0
    /// Events that failed and are not delivered, including the dead ones.
    package private(set) var failedCount = 0

    /// Continues from what the state holds.
    ///
    /// - Parameter seed: of the jitter.
    package init(
        _ destination: DeliveryDestination, _ state: RestoredDelivery,
        limits: DeliveryLimits = .init(), seed: UInt64
    ) {
        self.destination = destination
        self.limits = limits
        position = state.cursor
        pause = state.pause
        pace = Pace(destination, limits)
        generator = SplitMix64(seed: seed)
        for kept in state.events { restore(kept) }
    }

    private mutating func restore(_ kept: RestoredDelivery.Event) {
        var event = WaitingEvent(
            sequence: kept.row.sequence, byteCount: 0, received: kept.received)
        event.attempts = kept.row.attempts
        event.due = kept.row.due
        event.isDead = kept.row.isDead
        event.isStored = true
        if event.isDead { deadCount += 1 }
        if event.attempts > 0 { failedCount += 1 }
        let (lane, _) = lanes.add(event, kept.orders)
        lanes.change(lane) {
            $0.isKept = true
            $0.queue = .none
        }
        enqueue(lane)
    }

    /// The figures of this moment.
    package var figures: PlanFigures {
        PlanFigures(
            position: position, waiting: lanes.eventCount, dead: deadCount,
            inFlight: inFlight.count, limit: pace.limit, pause: pause,
            breaker: breaker, heldUntil: pace.notBefore, oldestReceived: lanes.oldestReceived)
    }

    package var breaker: BreakerState { BreakerState(pace.breaker) }

    // MARK: The feed

    /// Number of further events that it takes now.
    package var room: Int {
        guard unstoredBytes < limits.windowBytesMax else { return 0 }
        return max(
            0,
            min(
                limits.windowEventsMax - unkept.count,
                limits.waitingEventsMax - lanes.eventCount))
    }

    /// Whether there is room for many: reading one record costs half as much as reading a page.
    package var isWorthReading: Bool {
        room > 0 && unkept.count <= limits.windowEventsMax / 4 * 3
            && unstoredBytes <= limits.windowBytesMax / 4 * 3
    }

    /// Takes the next event of the feed that passes the filter.
    ///
    /// - Parameter received: when the store got it, in microseconds since 1970.
    /// - Returns: whether its record is needed; otherwise the state has it.
    @discardableResult
    package mutating func take(
        _ sequence: UInt64, of orders: [OrderLabel], byteCount: Int, received: Int64 = 0
    ) -> Bool {
        position = max(position, sequence)
        // Restored from the state.
        guard lanes.lane(of: sequence) == nil else { return false }
        let (lane, isJoined) = lanes.add(
            WaitingEvent(sequence: sequence, byteCount: byteCount, received: received), orders)
        unkept.insert(sequence)
        unstoredBytes += byteCount
        if lanes[lane]?.isKept == true { keep(lane) }
        if isJoined || lanes[lane]?.queue == LaneQueue.none { enqueue(lane) }
        return true
    }

    /// Skips records up to `sequence` that the destination does not receive.
    package mutating func skip(to sequence: UInt64) { position = max(position, sequence) }

    /// Forgets everything after `last`: the store has lost those records.
    package mutating func rewind(to last: UInt64) {
        position = min(position, last)
        for event in Array(lanes.events) where event.sequence > last { remove(event) }
    }

    // MARK: Sending

    /// The next attempt, or the time until which nothing is due unless an outcome or an event
    /// comes first.
    package mutating func next(now: Int64) -> DeliveryAction {
        guard pause == nil else { return .wait(until: nil) }
        if case .probing = pace.breaker { return .wait(until: nil) }
        if let until = pace.quiet(now: now) { return .wait(until: until) }
        guard inFlight.count < pace.limit || !pace.isClosed else { return .wait(until: nil) }
        discardStaleEntries(now)
        let retry = ready.firstRetry.flatMap { $0.due <= now ? $0.lane : nil }
        let fresh = ready.firstFresh
        if let lane = retry, fresh == nil || isRetrysTurn {
            ready.removeFirstRetry()
            return send(lane, now: now, isRetry: true)
        }
        if let lane = fresh {
            ready.removeFirstFresh()
            return send(lane, now: now, isRetry: false)
        }
        return .wait(until: ready.firstRetry?.due)
    }

    /// Retries leave at least half of the places to orders that never failed.
    private var isRetrysTurn: Bool {
        !lastWasRetry && retriesInFlight.count < (pace.limit + 1) / 2
    }

    private mutating func discardStaleEntries(_ now: Int64) {
        while let lane = ready.firstFresh, !isValid(lane, .fresh) { ready.removeFirstFresh() }
        while let (due, lane) = ready.firstRetry, due <= now,
            !isValid(lane, .retries) || lanes[lane]?.head?.due ?? 0 > now
        {
            ready.removeFirstRetry()
        }
    }

    private func isValid(_ lane: Int, _ queue: LaneQueue) -> Bool {
        guard let lane = lanes[lane] else { return false }
        return lane.queue == queue && lane.isSendable
    }

    private mutating func send(_ lane: Int, now: Int64, isRetry: Bool) -> DeliveryAction {
        guard let head = lanes[lane]?.head else { return .wait(until: now) }
        lanes.change(lane) { lane in
            lane.queue = .none
            lane.inFlight += 1
            lane.change(head.sequence) { event in
                event.sent = now
                event.isSlow = false
            }
        }
        inFlight.insert(head.sequence)
        lastWasRetry = isRetry
        if head.attempts > 0 { retriesInFlight.insert(head.sequence) }
        if !pace.isClosed { pace.probe(with: head.sequence) }
        return .send(head.sequence, attempt: head.attempts + 1)
    }

    /// Queues the lane if its first event may be sent.
    private mutating func enqueue(_ id: Int) {
        guard let lane = lanes[id], lane.isSendable, let head = lane.head else { return }
        let isFresh = head.attempts == 0 && head.due == 0
        lanes.change(id) { $0.queue = isFresh ? .fresh : .retries }
        if isFresh {
            ready.append(fresh: id)
        } else {
            ready.append(retry: id, due: head.due)
        }
    }

    // MARK: Outcomes

    /// Applies the outcome of the attempt for `sequence`.
    package mutating func settle(
        _ sequence: UInt64, _ outcome: AttemptOutcome, now: Int64
    ) -> AttemptResult {
        guard inFlight.remove(sequence) != nil else { return .notCounted }
        retriesInFlight.remove(sequence)
        guard let id = lanes.lane(of: sequence), let event = lanes.event(sequence) else {
            pace.forget(sequence)
            return .notCounted
        }
        lanes.change(id) { $0.inFlight -= 1 }
        if outcome.isSuccess {
            pace.succeed()
            remove(event)
            enqueue(id)
            return .delivered
        }
        let result = fail(event, of: id, outcome, now: now)
        enqueue(id)
        return result
    }

    private mutating func fail(
        _ event: WaitingEvent, of id: Int, _ outcome: AttemptOutcome, now: Int64
    ) -> AttemptResult {
        if outcome.failure == .canceled {
            pace.forget(event.sequence)
            endAttempt(event, of: id) { $0.due = now }
            return .notCounted
        }
        if outcome.failure == nil, outcome.status == 410 {
            pace.forget(event.sequence)
            pause = .gone
            endAttempt(event, of: id) { $0.due = now }
            return .notCounted
        }
        let asked = retryAfter(outcome)
        if Self.isSlowDown(outcome) {
            pace.slow(sent: event.sent ?? now, now: now, pause: asked)
        }
        guard pace.fail(event.sequence, of: id, now: now) else {
            endAttempt(event, of: id) { $0.due = now + asked }
            return .notCounted
        }
        keep(id)
        dirty.insert(event.sequence)
        if event.attempts == 0 { failedCount += 1 }
        guard event.attempts < destination.retrySeconds.count else {
            deadCount += 1
            endAttempt(event, of: id) { event in
                event.attempts += 1
                event.isDead = true
            }
            return .dead
        }
        let pause = destination.retrySeconds[event.attempts]
        // Orders that failed together do not come back together. At least half of the pause stays:
        // a receiver that restarts must not use up an event's attempts within a second.
        let jittered = Int64(Double.random(in: pause / 2...pause, using: &generator) * 1e6)
        let due = now + max(jittered, asked)
        endAttempt(event, of: id) { event in
            event.attempts += 1
            event.due = due
        }
        return .retry(due: due)
    }

    /// Marks the event as no longer in flight, and applies `change` to it.
    private mutating func endAttempt(
        _ event: WaitingEvent, of id: Int, _ change: (inout WaitingEvent) -> Void
    ) {
        lanes.change(id) { lane in
            lane.change(event.sequence) { event in
                event.sent = nil
                change(&event)
            }
        }
    }

    /// The pause that the answer asks for, in microseconds, within the bound.
    private func retryAfter(_ outcome: AttemptOutcome) -> Int64 {
        let seconds = outcome.retryAfterSeconds ?? 0
        return Int64(max(0, min(seconds, limits.retryAfterSecondsMax)) * 1e6)
    }

    private static func isSlowDown(_ outcome: AttemptOutcome) -> Bool {
        outcome.failure == nil && [429, 502, 503, 504].contains(outcome.status)
    }

    /// Removes an event that waits no longer.
    private mutating func remove(_ event: WaitingEvent) {
        _ = lanes.remove(event.sequence)
        unkept.remove(event.sequence)
        dirty.remove(event.sequence)
        if event.isDead { deadCount -= 1 }
        if event.attempts > 0 { failedCount -= 1 }
        if event.isStored {
            settled.append(event.sequence)
        } else {
            unstoredBytes -= event.byteCount
        }
    }

    // MARK: Commands

    /// Makes these events due now and resets their attempts. Leaves alone those that are neither
    /// dead nor waiting for their time. Nil means all dead events. Returns the number changed.
    package mutating func retry(_ sequences: [UInt64]?, now: Int64) -> Int {
        let chosen = sequences ?? lanes.events.filter(\.isDead).map(\.sequence)
        var count = 0
        for sequence in chosen {
            guard let id = lanes.lane(of: sequence), let event = lanes.event(sequence),
                event.sent == nil, event.isDead || event.due > now
            else { continue }
            if event.isDead { deadCount -= 1 }
            if event.attempts > 0 { failedCount -= 1 }
            lanes.change(id) { lane in
                lane.change(sequence) { event in
                    event.isDead = false
                    event.attempts = 0
                    event.due = now
                }
            }
            dirty.insert(sequence)
            count += 1
            if lanes[id]?.head?.sequence == sequence { enqueue(id) }
        }
        return count
    }

    /// Gives up these dead events; the later events of their orders are sent without them. Returns
    /// the number given up.
    package mutating func resolve(_ sequences: [UInt64]) -> Int {
        var count = 0
        for sequence in sequences {
            guard let id = lanes.lane(of: sequence), let event = lanes.event(sequence),
                event.isDead
            else { continue }
            remove(event)
            enqueue(id)
            count += 1
        }
        return count
    }

    /// Delivers an event again that was delivered, given up, or recorded before the destination
    /// began, with a new set of attempts. It is kept at once, because the cursor is past it, and is
    /// sent before the later events of its order that wait. Returns false for an event that waits
    /// already or is still to be taken, and while there is no room.
    package mutating func resend(
        _ sequence: UInt64, of orders: [OrderLabel], byteCount: Int, received: Int64
    ) -> Bool {
        guard sequence <= position, lanes.lane(of: sequence) == nil,
            lanes.eventCount < limits.waitingEventsMax, unstoredBytes < limits.windowBytesMax
        else { return false }
        let (lane, _) = lanes.add(
            WaitingEvent(sequence: sequence, byteCount: byteCount, received: received), orders)
        unstoredBytes += byteCount
        dirty.insert(sequence)
        keep(lane)
        // It may be the first event now of an order whose next attempt is due later.
        lanes.change(lane) { $0.queue = .none }
        enqueue(lane)
        return true
    }

    /// Sends nothing until `resume`.
    package mutating func stop() { pause = .command }

    /// Sends again, and closes the breaker.
    package mutating func resume() {
        pause = nil
        pace.reset()
    }

    // MARK: Changes of the state

    /// Whether an event in flight holds the cursor back: the next changes may keep it instead.
    package var holdsCursor: Bool { !inFlight.isEmpty && !unkept.isEmpty }

    /// Everything up to here is delivered, skipped or kept in the state.
    package var cursor: UInt64 { unkept.min().map { $0 - 1 } ?? position }

    /// The changes that the state has to take in, in one transaction. The plan counts on them from
    /// now on: a caller whose write fails repeats it before anything newer.
    package mutating func takeChanges() -> DeliveryChanges {
        keepSlowEvents()
        var changes = DeliveryChanges(cursor: cursor, pause: pause)
        for sequence in dirty {
            guard let id = lanes.lane(of: sequence), let event = lanes.event(sequence) else {
                continue
            }
            changes.events.append(DeliveryRow(event))
            guard !event.isStored else { continue }
            changes.new.insert(sequence)
            unstoredBytes -= event.byteCount
            lanes.change(id) { lane in lane.change(sequence) { $0.isStored = true } }
        }
        changes.events.sort { $0.sequence < $1.sequence }
        changes.settled = settled
        dirty.removeAll()
        settled.removeAll()
        return changes
    }

    /// Keeps events that were in flight at the previous write, too. Otherwise one slow request
    /// would hold the cursor, and a crash would repeat everything delivered since.
    private mutating func keepSlowEvents() {
        for sequence in inFlight {
            guard let id = lanes.lane(of: sequence), let event = lanes.event(sequence) else {
                continue
            }
            if event.isSlow {
                keep(id)
            } else {
                lanes.change(id) { lane in lane.change(sequence) { $0.isSlow = true } }
            }
        }
    }

    /// Keeps the events of this lane in the state from now on.
    private mutating func keep(_ id: Int) {
        lanes.change(id) { $0.isKept = true }
        for event in lanes[id]?.events ?? [] where unkept.remove(event.sequence) != nil {
            dirty.insert(event.sequence)
        }
    }
}
