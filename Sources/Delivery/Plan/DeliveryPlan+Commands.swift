extension DeliveryPlan {
    /// Tries these events again now, with all their attempts before them; those that are neither
    /// dead nor waiting for their time are left alone. Nil stands for all that are dead. Returns
    /// how many.
    package mutating func retry(_ sequences: [UInt64]?, now: Int64) -> Int {
        let chosen = sequences ?? lanes.events.filter(\.isDead).map(\.sequence)
        var count = 0
        for sequence in chosen {
            guard let id = lanes.lane(of: sequence), let event = lanes.event(sequence),
                event.sent == nil, event.isDead || event.due > now
            else { continue }
            if event.isDead { deadCount -= 1 }
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

    /// A person has seen to these dead events: what is behind them goes on without them. Returns
    /// how many.
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

    /// Sends nothing from now on.
    package mutating func stop() { pause = .command }

    /// Sends again, whatever the breaker says.
    package mutating func resume() {
        pause = nil
        pace.reset()
    }

    package var breaker: BreakerState { BreakerState(pace.breaker) }

    /// Its present state.
    package var figures: PlanFigures {
        PlanFigures(
            position: position, waiting: lanes.eventCount, dead: deadCount,
            inFlight: inFlight.count, limit: pace.limit, pause: pause,
            breaker: breaker, heldUntil: pace.notBefore, oldestReceived: lanes.oldestReceived)
    }
}

/// A destination's figures at one moment.
package struct PlanFigures: Sendable, Equatable {
    /// The last record of the feed that was taken.
    package var position: UInt64
    /// Events that were read and not delivered, including the dead ones.
    package var waiting: Int
    package var dead: Int
    package var inFlight: Int
    /// Requests in flight at most, at the present pace.
    package var limit: Int
    package var pause: PauseReason?
    package var breaker: BreakerState
    /// Nothing is sent before, because the destination has asked for it (`Retry-After`), in
    /// microseconds since 1970.
    package var heldUntil: Int64 = 0
    /// When the first event was received that is neither told nor behind a dead one, in
    /// microseconds since 1970.
    package var oldestReceived: Int64?
}

/// A breaker's state, for metrics and lists.
package enum BreakerState: String, Sendable, CaseIterable {
    case closed
    case open
    case probing

    init(_ breaker: Pace.Breaker) {
        switch breaker {
        case .closed: self = .closed
        case .open: self = .open
        case .probing: self = .probing
        }
    }
}
