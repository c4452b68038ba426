import Platform

/// Decides what is delivered next to one destination. No clock, no I/O: events and outcomes
/// in, attempts and changes of the state out.
///
/// The store's feed is the outbox. The plan takes events from it in order as long as there is room,
/// and remembers those that were not told yet. What is told at once leaves no trace but the cursor;
/// what fails or takes long is kept in the state, with the events of its order behind it.
package struct DeliveryPlan: Sendable {
    package let destination: Destination
    let limits: DeliveryLimits
    var lanes = LaneTable()
    var ready = ReadyQueue()
    var pace: Pace
    /// For jitter: a plan with the same seed does the same.
    var generator: SplitMix64
    /// The last record of the feed that was taken.
    package internal(set) var position: UInt64
    /// Why nothing is sent until a person says so; nil when it is.
    package internal(set) var pause: PauseReason?
    /// Events that are in memory only: the cursor is before the first of them.
    var unkept: Set<UInt64> = []
    /// Kept events whose row in the state is missing or out of date.
    var dirty: Set<UInt64> = []
    /// Events whose row in the state has to go.
    var settled: [UInt64] = []
    var inFlight: Set<UInt64> = []
    /// Those of them that failed before.
    var retriesInFlight: Set<UInt64> = []
    var lastWasRetry = false
    /// The bytes of records that the state does not have.
    var unstoredBytes = 0
    var deadCount = 0

    /// Goes on where the state says.
    ///
    /// - Parameter seed: of the jitter.
    package init(
        _ destination: Destination, _ state: RestoredDelivery, limits: DeliveryLimits = .init(),
        seed: UInt64
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
        let (lane, _) = lanes.add(event, kept.orders)
        lanes.change(lane) {
            $0.isKept = true
            $0.queue = .none
        }
        enqueue(lane)
    }

    // MARK: The feed

    /// How many more events it takes now.
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

    /// Takes the next event of the feed, which passes the filter.
    ///
    /// - Parameter received: when the store got it, in microseconds since 1970.
    /// - Returns: whether its record is needed; otherwise the state has it.
    @discardableResult
    package mutating func take(
        _ sequence: UInt64, of orders: [OrderLabel], byteCount: Int, received: Int64 = 0
    ) -> Bool {
        position = max(position, sequence)
        // It is known from before the start.
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

    /// The store ends with `last`: what is behind it never was.
    package mutating func rewind(to last: UInt64) {
        position = min(position, last)
        for event in Array(lanes.events) where event.sequence > last { remove(event) }
    }

    // MARK: What to do

    /// The next attempt, or until when nothing is to be done unless an outcome or an event comes.
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

    /// Orders that fail slowly take at most half of the places from those that do not.
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

    /// Puts the lane where it waits for its turn, if its first event may be sent.
    mutating func enqueue(_ id: Int) {
        guard let lane = lanes[id], lane.isSendable, let head = lane.head else { return }
        let isFresh = head.attempts == 0 && head.due == 0
        lanes.change(id) { $0.queue = isFresh ? .fresh : .retries }
        if isFresh {
            ready.append(fresh: id)
        } else {
            ready.append(retry: id, due: head.due)
        }
    }

    /// From now on the state has the events of this lane.
    mutating func keep(_ id: Int) {
        lanes.change(id) { $0.isKept = true }
        for event in lanes[id]?.events ?? [] where unkept.remove(event.sequence) != nil {
            dirty.insert(event.sequence)
        }
    }
}

/// What a plan wants done.
package enum DeliveryAction: Sendable, Equatable {
    /// Send the event; the number counts its attempts from 1.
    case send(UInt64, attempt: Int)
    /// Nothing until then, in microseconds since 1970; nil for no time.
    case wait(until: Int64?)
}

/// Why a destination receives nothing.
package enum PauseReason: String, Sendable, Equatable {
    /// A person paused it.
    case command
    /// It answered 410.
    case gone
}
