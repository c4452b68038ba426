extension DeliveryPlan {
    /// Takes in what came of the attempt for `sequence`.
    package mutating func settle(
        _ sequence: UInt64, _ outcome: AttemptOutcome, now: Int64
    ) -> Settlement {
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
        let settlement = fail(event, of: id, outcome, now: now)
        enqueue(id)
        return settlement
    }

    private mutating func fail(
        _ event: WaitingEvent, of id: Int, _ outcome: AttemptOutcome, now: Int64
    ) -> Settlement {
        if outcome.failure == .canceled {
            pace.forget(event.sequence)
            return put(event, of: id) { $0.due = now }
        }
        if outcome.failure == nil, outcome.status == 410 {
            pace.forget(event.sequence)
            pause = .gone
            return put(event, of: id) { $0.due = now }
        }
        let asked = retryAfter(outcome)
        if Self.isSlowDown(outcome) {
            pace.slow(sent: event.sent ?? now, now: now, pause: asked)
        }
        guard pace.fail(event.sequence, of: id, now: now) else {
            return put(event, of: id) { $0.due = now + asked }
        }
        keep(id)
        dirty.insert(event.sequence)
        guard event.attempts < destination.retrySeconds.count else {
            deadCount += 1
            _ = put(event, of: id) { event in
                event.attempts += 1
                event.isDead = true
            }
            return .dead
        }
        let pause = destination.retrySeconds[event.attempts]
        // Full jitter: orders that failed together do not come back together.
        let jitter = Int64(Double.random(in: 0...pause, using: &generator) * 1e6)
        let due = now + max(jitter, asked)
        _ = put(event, of: id) { event in
            event.attempts += 1
            event.due = due
        }
        return .retry(due: due)
    }

    /// The event is not in flight any more.
    private mutating func put(
        _ event: WaitingEvent, of id: Int, _ change: (inout WaitingEvent) -> Void
    ) -> Settlement {
        lanes.change(id) { lane in
            lane.change(event.sequence) { event in
                event.sent = nil
                change(&event)
            }
        }
        return .notCounted
    }

    /// The pause that the answer asks for, in microseconds, within the bound.
    private func retryAfter(_ outcome: AttemptOutcome) -> Int64 {
        let seconds = outcome.retryAfterSeconds ?? 0
        return Int64(max(0, min(seconds, limits.retryAfterSecondsMax)) * 1e6)
    }

    private static func isSlowDown(_ outcome: AttemptOutcome) -> Bool {
        outcome.failure == nil && [429, 502, 503, 504].contains(outcome.status)
    }

    /// The event does not wait any more.
    mutating func remove(_ event: WaitingEvent) {
        _ = lanes.remove(event.sequence)
        unkept.remove(event.sequence)
        dirty.remove(event.sequence)
        if event.isDead { deadCount -= 1 }
        if event.isStored {
            settled.append(event.sequence)
        } else {
            unstoredBytes -= event.byteCount
        }
    }
}

/// What an attempt came to.
package enum Settlement: Sendable, Equatable {
    case delivered
    /// The next attempt is due then, in microseconds since 1970.
    case retry(due: Int64)
    /// It was the last attempt.
    case dead
    /// It failed, and is not one of the event's attempts.
    case notCounted
}
