import Testing

@testable import Delivery

struct DeliveryPlanTests {
    private static let second: Int64 = 1_000_000

    private static func plan(
        retrySeconds: [Double] = [5, 300], concurrency: Int = 64, events: Int = 0,
        limits: DeliveryLimits = .init()
    ) -> DeliveryPlan {
        var plan = DeliveryPlan(
            DeliveryDestination(name: "shop", retrySeconds: retrySeconds, concurrency: concurrency),
            RestoredDelivery(cursor: 0), limits: limits, seed: 1)
        for sequence in 0..<UInt64(events) { take(sequence + 1, "R-\(sequence)", into: &plan) }
        return plan
    }

    private static func take(
        _ sequence: UInt64, _ reference: String, into plan: inout DeliveryPlan
    ) {
        plan.take(
            sequence, of: [OrderLabel(endpoint: "shop", reference: reference)], byteCount: 700)
    }

    private static func failure(_ status: Int, after: Double? = nil) -> AttemptOutcome {
        AttemptOutcome(status: status, latencyMicroseconds: 1, retryAfterSeconds: after)
    }

    @Test func `a retry comes in the second half of the pause of the schedule`() throws {
        var pauses: [Int64] = []
        var failing = Self.plan(events: 15)
        for sequence in UInt64(1)...15 {
            #expect(failing.next(now: 0) == .send(sequence, attempt: 1))
            guard case .retry(let due) = failing.settle(sequence, Self.failure(500), now: 0) else {
                Issue.record("no retry")
                return
            }
            pauses.append(due)
        }
        let bounds = try #require(pauses.min())...(try #require(pauses.max()))
        #expect(bounds.lowerBound >= 5 * Self.second / 2 && bounds.upperBound <= 5 * Self.second)
        #expect(bounds.upperBound - bounds.lowerBound > Self.second)

        var plan = Self.plan(events: 1)
        #expect(plan.next(now: 0) == .send(1, attempt: 1))
        guard case .retry(let due) = plan.settle(1, Self.failure(500), now: 0) else {
            Issue.record("no retry")
            return
        }
        #expect(plan.next(now: due - 1) == .wait(until: due))
        #expect(plan.next(now: due) == .send(1, attempt: 2))
    }

    @Test func `after the last attempt the event is dead and blocks only its own order`() {
        var plan = Self.plan(retrySeconds: [0], events: 1)
        Self.take(2, "R-0", into: &plan)
        Self.take(3, "other", into: &plan)
        #expect(plan.next(now: 0) == .send(1, attempt: 1))
        _ = plan.settle(1, Self.failure(400), now: 0)
        #expect(plan.next(now: 0) == .send(3, attempt: 1) || plan.inFlight.contains(1))
        #expect(plan.next(now: 0) == .send(1, attempt: 2) || plan.inFlight.contains(3))
        _ = plan.settle(3, AttemptOutcome(status: 200, latencyMicroseconds: 1), now: 0)
        #expect(plan.settle(1, Self.failure(400), now: 0) == .dead)
        #expect(plan.next(now: 1000 * Self.second) == .wait(until: nil))
        #expect(plan.figures.dead == 1)
        #expect(plan.retry(nil, now: 0) == 1)
        #expect(plan.next(now: 0) == .send(1, attempt: 1))
    }

    @Test func `the order continues after its dead letter is resolved`() {
        var plan = Self.plan(retrySeconds: [], events: 1)
        Self.take(2, "R-0", into: &plan)
        _ = plan.next(now: 0)
        #expect(plan.settle(1, Self.failure(400), now: 0) == .dead)
        #expect(plan.resolve([1, 2]) == 1)
        #expect(plan.next(now: 0) == .send(2, attempt: 1))
    }

    @Test func `Retry-After is honoured within its bound`() {
        var plan = Self.plan(retrySeconds: [0, 0], events: 2)
        _ = plan.next(now: 0)
        let asked = plan.settle(1, Self.failure(429, after: 90), now: 0)
        #expect(asked == .retry(due: 90 * Self.second))
        // `Retry-After` counts for the whole destination.
        #expect(plan.next(now: 0) == .wait(until: 90 * Self.second))
        let later = 90 * Self.second
        _ = plan.next(now: later)
        _ = plan.next(now: later)
        let bounded = plan.settle(1, Self.failure(503, after: 1e9), now: later)
        #expect(bounded == .retry(due: later + 3600 * Self.second))
    }

    @Test func `an answer 410 pauses the destination`() {
        var plan = Self.plan(events: 2)
        _ = plan.next(now: 0)
        #expect(plan.settle(1, Self.failure(410), now: 0) == .notCounted)
        #expect(plan.pause == .gone)
        #expect(plan.next(now: Self.second) == .wait(until: nil))
        #expect(plan.takeChanges().pause == .gone)
        plan.resume()
        #expect(plan.next(now: Self.second) == .send(2, attempt: 1))
    }

    @Test func `an overloaded destination is sent fewer requests at a time`() {
        var plan = Self.plan(concurrency: 8, events: 100)
        for _ in 0..<8 { _ = plan.next(now: 0) }
        #expect(plan.next(now: 0) == .wait(until: nil))
        for sequence in UInt64(1)...8 { _ = plan.settle(sequence, Self.failure(503), now: 1) }
        // Once for all requests that were in flight together.
        #expect(plan.figures.limit == 4)
        for sequence in UInt64(9)...12 {
            #expect(plan.next(now: 2) == .send(sequence, attempt: 1))
        }
        for sequence in UInt64(9)...12 {
            _ = plan.settle(
                sequence, AttemptOutcome(status: 200, latencyMicroseconds: 1), now: 2)
        }
        #expect(plan.figures.limit == 5)
    }

    @Test func `retries take at most half of the places`() {
        var plan = Self.plan(retrySeconds: [0, 0, 0], concurrency: 4, events: 12)
        for _ in 1...4 { _ = plan.next(now: 0) }
        for sequence in UInt64(1)...4 { _ = plan.settle(sequence, Self.failure(400), now: 0) }
        var sent: [UInt64] = []
        while case .send(let sequence, _) = plan.next(now: 1) { sent.append(sequence) }
        #expect(sent.count == 4)
        #expect(sent.filter { $0 > 4 }.count >= 2)
    }

    /// A destination that is down for ten days uses up no event's attempts.
    @Test func `the breaker uses up no attempts`() {
        var plan = Self.plan(retrySeconds: [5, 300], concurrency: 8, events: 100)
        var now: Int64 = 0
        var sends = 0
        while now < 10 * 86_400 * Self.second {
            switch plan.next(now: now) {
            case .send(let sequence, _):
                sends += 1
                let settlement = plan.settle(
                    sequence, AttemptOutcome(.connectFailed, latencyMicroseconds: 1), now: now)
                #expect(settlement != .dead)
            case .wait(let until): now = until ?? now + Self.second
            }
        }
        #expect(plan.figures.dead == 0)
        // Twenty orders opened it; then one probe every thirty seconds.
        #expect(sends <= 20 + 10 * 86_400 / 30)
        #expect(sends > 10 * 86_400 / 30 - 100)
    }

    @Test func `setting the clock back does not lengthen a pause`() {
        var limits = DeliveryLimits()
        limits.breakerOrdersMax = 1
        var plan = Self.plan(events: 2, limits: limits)
        let start = 86_400 * Self.second
        _ = plan.next(now: start)
        _ = plan.settle(1, Self.failure(500), now: start)
        #expect(plan.next(now: start) == .wait(until: start + 30 * Self.second))
        #expect(plan.next(now: 0) == .wait(until: 30 * Self.second))
        #expect(plan.next(now: 30 * Self.second) == .send(2, attempt: 1))
    }

    @Test func `events stay in the store while the destination is down`() {
        var plan = Self.plan()
        var next: UInt64 = 1
        var now: Int64 = 0
        while now < 3600 * Self.second {
            while plan.room > 0, next <= 1_000_000 {
                Self.take(next, "R-\(next)", into: &plan)
                next += 1
            }
            switch plan.next(now: now) {
            case .send(let sequence, _):
                _ = plan.settle(
                    sequence, AttemptOutcome(.connectFailed, latencyMicroseconds: 1), now: now)
            case .wait(let until): now = until ?? now + Self.second
            }
            _ = plan.takeChanges()
        }
        #expect(plan.figures.waiting <= 4096 + 20)
        #expect(plan.cursor <= 20)
    }

    @Test func `a slow request does not hold the cursor`() {
        var plan = Self.plan(events: 3)
        for _ in 0..<3 { _ = plan.next(now: 0) }
        for sequence in UInt64(2)...3 {
            _ = plan.settle(
                sequence, AttemptOutcome(status: 200, latencyMicroseconds: 1), now: 0)
        }
        #expect(plan.takeChanges().cursor == 0)
        let changes = plan.takeChanges()
        #expect(changes.cursor == 3)
        #expect(changes.new == [1])
        _ = plan.settle(1, AttemptOutcome(status: 200, latencyMicroseconds: 1), now: 0)
        #expect(plan.takeChanges().settled == [1])
    }

    @Test func `the feed is not read for single events`() {
        var limits = DeliveryLimits()
        limits.windowEventsMax = 8
        var plan = Self.plan(events: 8, limits: limits)
        #expect(plan.room == 0 && !plan.isWorthReading)
        for sequence in UInt64(1)...2 {
            _ = plan.next(now: 0)
            _ = plan.settle(
                sequence, AttemptOutcome(status: 200, latencyMicroseconds: 1), now: 0)
            #expect(plan.isWorthReading == (sequence == 2))
        }
    }
}
