import TestSupport

@testable import Delivery

/// A violation of one of delivery's guarantees.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// One run of a plan against a simulated destination, clock and disk. A seed determines the steps;
/// a crash can happen at any of them.
struct ModelRun {
    let history: ModelHistory
    let destination: DeliveryDestination
    let limits: DeliveryLimits
    let defect: PlantedDefect?
    var weather = ModelWeather.flaky
    private(set) var plan: DeliveryPlan
    private(set) var state = ModelState()
    private(set) var now: Int64 = 1_000_000
    private(set) var steps = 0
    private(set) var sends = 0
    /// Events that the destination has accepted.
    private(set) var taken: Set<UInt64> = []
    /// The time until which the plan has nothing to do.
    private var quietUntil: Int64?
    /// Events in flight, with their future outcomes.
    private var flights: [(sequence: UInt64, outcome: AttemptOutcome)] = []
    /// Changes that were taken from the plan and are not on the disk yet.
    private var writing: DeliveryChanges?
    private var countedFailures: [UInt64: Int] = [:]
    private var generator: SeededGenerator
    private var seed: UInt64

    init(
        seed: UInt64, events: Int, orders: Int, concurrency: Int = 4, limits: DeliveryLimits,
        defect: PlantedDefect? = nil
    ) {
        var generator = SeededGenerator(seed: seed)
        history = ModelHistory(events: events, orders: orders, using: &generator)
        destination = DeliveryDestination(
            name: "shop", retrySeconds: [1, 5, 20], breakerSeconds: 10, concurrency: concurrency)
        self.limits = limits
        self.defect = defect
        self.generator = generator
        self.seed = seed
        plan = DeliveryPlan(
            destination, RestoredDelivery(cursor: 0), limits: limits, seed: seed)
    }

    // MARK: Steps

    /// Makes one random step.
    mutating func step() throws {
        steps += 1
        switch Int.random(in: 0..<10, using: &generator) {
        case 0, 1: readFeed()
        case 2, 3, 4: try send()
        case 5, 6: try answer()
        case 7: write()
        case 8: pass()
        default: if generator.once(in: 6) { command() }
        }
    }

    /// Ends the process. A write in progress succeeded or not; an event in flight was accepted or
    /// not.
    mutating func crash() {
        if let writing, generator.once(in: 2) { state.apply(writing) }
        writing = nil
        flights = []
        seed += 1
        let restored = state.restored(history)
        plan = DeliveryPlan(destination, restored, limits: limits, seed: seed)
        // A retry on command that was not written is lost.
        for event in restored.events {
            let known = countedFailures[event.row.sequence, default: 0]
            countedFailures[event.row.sequence] = max(known, event.row.attempts)
        }
    }

    private mutating func readFeed() {
        var room = min(plan.room, Int.random(in: 1...5, using: &generator))
        while room > 0, plan.position < history.events.count {
            let event = history[plan.position + 1]
            guard event.isWanted else {
                plan.skip(to: event.sequence)
                continue
            }
            let labels =
                defect == .retriesReorder
                ? [OrderLabel(endpoint: "own", id: "\(event.sequence)")] : event.labels
            plan.take(event.sequence, of: labels, byteCount: 100)
            room -= 1
        }
    }

    private mutating func send() throws {
        quietUntil = nil
        switch plan.next(now: now) {
        case .send(let sequence, _): try send(sequence)
        case .wait(let until): quietUntil = until
        }
    }

    private mutating func send(_ sequence: UInt64) throws {
        sends += 1
        for earlier in history.wanted where earlier < sequence {
            if history.areRelated(earlier, sequence), !taken.contains(earlier) {
                throw BrokenPromise("\(sequence) was sent before \(earlier) was taken")
            }
        }
        for flight in flights where history.areRelated(flight.sequence, sequence) {
            throw BrokenPromise("\(sequence) was sent while \(flight.sequence) is in flight")
        }
        guard flights.count < destination.concurrency else {
            throw BrokenPromise("more than \(destination.concurrency) requests in flight")
        }
        guard plan.pause == nil else { throw BrokenPromise("sent while paused") }
        flights.append((sequence, weather.outcome(using: &generator)))
    }

    private mutating func answer() throws {
        guard !flights.isEmpty else { return }
        let index = Int.random(in: 0..<flights.count, using: &generator)
        let (sequence, outcome) = flights.remove(at: index)
        let counts = plan.figures.breaker == .closed
        if outcome.isSuccess { taken.insert(sequence) }
        let seen =
            defect == .timeoutIsSuccess && outcome.failure == .timeout
            ? AttemptOutcome(status: 200, latencyMicroseconds: 1) : outcome
        let settlement = plan.settle(sequence, seen, now: now)
        if !outcome.isSuccess, counts { countedFailures[sequence, default: 0] += 1 }
        if settlement == .dead {
            // After a crash there may have been more.
            let failures = countedFailures[sequence, default: 0]
            guard failures > destination.retrySeconds.count else {
                throw BrokenPromise("\(sequence) is dead after \(failures) attempts")
            }
        }
        if defect == .passesDeadLetters, settlement == .dead { _ = plan.resolve([sequence]) }
        if defect == .breakerConsumesAttempts, settlement == .notCounted,
            let lane = plan.lanes.lane(of: sequence)
        {
            plan.lanes.change(lane) { lane in lane.change(sequence) { $0.attempts += 1 } }
        }
    }

    /// Starts a write, or ends the one in progress.
    private mutating func write() {
        if let changes = writing {
            state.apply(changes)
            writing = nil
            return
        }
        var changes = plan.takeChanges()
        if defect == .cursorBeforeAnswer { changes.cursor = plan.position }
        if defect == .forgetsWhatIsBehind { changes.events.removeAll { $0.attempts == 0 } }
        writing = changes
    }

    private mutating func pass() {
        now = max(
            now + Int64.random(in: 0...1_000_000, using: &generator), quietUntil ?? now)
    }

    private mutating func command() {
        if let pick = ModelWeather.allCases.randomElement(using: &generator) { weather = pick }
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: retryDead()
        case 1: plan.stop()
        default: plan.resume()
        }
    }

    private mutating func retryDead() {
        for event in plan.lanes.events where event.isDead { countedFailures[event.sequence] = 0 }
        _ = plan.retry(nil, now: now)
    }

    // MARK: The end

    /// Makes the destination accept everything: all events must be delivered soon.
    mutating func finish() throws {
        weather = .well
        let wanted = history.wanted
        for _ in 0..<(50 * history.events.count + 500) {
            if taken.isSuperset(of: wanted), plan.position == history.events.count { break }
            plan.resume()
            retryDead()
            readFeed()
            try send()
            if generator.once(in: 2) { try answer() }
            pass()
        }
        let missing = wanted.subtracting(taken).sorted()
        guard missing.isEmpty else { throw BrokenPromise("never delivered: \(missing)") }
        while !flights.isEmpty { try answer() }
        write()
        write()
        guard plan.figures.waiting > 0 || state.cursor == history.events.count || writing != nil
        else {
            throw BrokenPromise("all is delivered, but the cursor is at \(state.cursor)")
        }
    }
}

extension ModelWeather {
    /// The outcome of one attempt.
    func outcome(using generator: inout SeededGenerator) -> AttemptOutcome {
        let good = AttemptOutcome(status: 200, latencyMicroseconds: 1000)
        let late = AttemptOutcome(.timeout, latencyMicroseconds: 20_000_000)
        let bad = [
            late, AttemptOutcome(.reset, latencyMicroseconds: 1),
            AttemptOutcome(.connectFailed, latencyMicroseconds: 1),
            AttemptOutcome(status: 400, latencyMicroseconds: 1),
            AttemptOutcome(status: 500, latencyMicroseconds: 1),
            AttemptOutcome(status: 503, latencyMicroseconds: 1, retryAfterSeconds: 2),
        ]
        switch self {
        case .well: return good
        case .late: return late
        case .down: return generator.pick(bad)
        case .flaky:
            if generator.once(in: 2) { return good }
            if generator.once(in: 200) {
                return AttemptOutcome(status: 410, latencyMicroseconds: 1)
            }
            return generator.pick(bad)
        }
    }
}
