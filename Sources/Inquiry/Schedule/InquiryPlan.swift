import Payments
import Platform
import Providers
import Store

/// Which order of an endpoint is asked about next. No clock, no I/O: orders that are due and
/// outcomes go in, questions come out. Times are in microseconds since 1970.
struct InquiryPlan: Sendable {
    /// What came of a question.
    enum Outcome: Sendable, Equatable {
        /// The provider has spoken, also where it does not know the order.
        case heard
        /// Nobody answered, the answer is no answer, or our credentials are refused.
        case failed
        /// Nobody was asked: the order is settled, or gone.
        case needless
        /// Nobody was asked: it is too soon for this order.
        case tooSoon(seconds: Double)
        /// The store can neither be read nor written at present.
        case notStored
    }

    enum Step: Sendable, Equatable {
        case ask(String)
        /// Nothing until then; nil: until something happens.
        case wait(until: Int64?)
    }

    struct Waiting: Sendable, Equatable {
        /// When the schedule wanted it asked.
        var due: Int64
        /// When it is asked.
        var time: Int64
        /// The questions that have failed.
        var failures = 0
        /// The schedule ends with it.
        var isLast: Bool
    }

    let schedule: InquirySchedule
    private(set) var breaker: InquiryBreaker
    private(set) var waiting: [ExactText: Waiting] = [:]
    private(set) var inFlight: [ExactText: Waiting] = [:]
    private var queue = TimedQueue<Int64, ExactText>()
    private var asked = AskedOrders()

    /// How often a question is asked again that failed; then the schedule's next time counts.
    static let failuresMax = 5
    /// How soon what the store could not do is tried again.
    static let storeRetryMicroseconds: Int64 = 10_000_000

    init(_ schedule: InquirySchedule) {
        self.schedule = schedule
        breaker = InquiryBreaker(
            failuresMax: schedule.breakerQuestions, seconds: schedule.breakerSeconds)
    }

    /// How many orders may be added.
    var room: Int { max(0, schedule.waitingOrdersMax - waiting.count - inFlight.count) }

    /// The oldest time at which an order ought to have been asked about and was not.
    var oldestDue: Int64? {
        let all = [waiting.values.map(\.due).min(), inFlight.values.map(\.due).min()]
        return all.compactMap(\.self).min()
    }

    /// An order is due. It is passed over when it waits already, or was asked about since then.
    ///
    /// - Parameter chance: From 0 to 1: how much of the jitter it gets.
    mutating func add(
        _ order: OpenOrder, due: Int64, isLast: Bool, chance: Double
    ) {
        let reference = ExactText(order.reference)
        guard waiting[reference] == nil, inFlight[reference] == nil,
            asked.time(of: reference).map({ $0 < due }) ?? true
        else { return }
        let age = Double(due - order.updated.microseconds)
        let jitter = min(age * schedule.jitter, InquirySchedule.jitterSecondsMax * 1e6)
        put(
            reference,
            Waiting(due: due, time: due + Int64(jitter * chance), isLast: isLast))
    }

    private mutating func put(_ reference: ExactText, _ entry: Waiting) {
        waiting[reference] = entry
        queue.add(reference, at: entry.time)
    }

    /// What to do now. Before the question is really asked, `begin` is called.
    mutating func next(now: Int64) -> Step {
        if let until = breaker.quiet(now: now) { return .wait(until: until == .max ? nil : until) }
        guard inFlight.count < schedule.concurrency else { return .wait(until: nil) }
        while let first = queue.first {
            guard waiting[first.work]?.time == first.time else {
                queue.removeFirst()
                continue
            }
            return first.time > now ? .wait(until: first.time) : .ask(first.work.text)
        }
        return .wait(until: nil)
    }

    /// The question is being asked.
    mutating func begin(_ reference: String) {
        let name = ExactText(reference)
        guard let entry = waiting.removeValue(forKey: name) else { return }
        inFlight[name] = entry
        breaker.ask(reference)
    }

    /// Takes in what came of it. Returns whether it was the last question about an order that the
    /// provider has not settled.
    mutating func settle(_ reference: String, _ outcome: Outcome, now: Int64) -> Bool {
        let name = ExactText(reference)
        guard var entry = inFlight.removeValue(forKey: name) else { return false }
        switch outcome {
        case .heard:
            asked.note(name, now)
            breaker.succeed()
            return entry.isLast
        case .needless:
            asked.note(name, now)
            breaker.forget(reference)
        case .failed:
            asked.note(name, now)
            breaker.fail(reference, now: now)
            entry.failures += 1
            guard entry.failures <= Self.failuresMax else { return entry.isLast }
            let pause = schedule.breakerSeconds * Double(1 << (entry.failures - 1))
            entry.time = now + Int64(max(pause, 0) * 1e6)
            put(name, entry)
        case .tooSoon(let seconds):
            breaker.forget(reference)
            entry.time = now + Int64(seconds * 1e6) + 1
            put(name, entry)
        case .notStored:
            breaker.forget(reference)
            entry.time = now + Self.storeRetryMicroseconds
            put(name, entry)
        }
        return false
    }
}

/// When orders were asked about; the oldest give way. What gave way is asked about once more at
/// most.
private struct AskedOrders: Sendable {
    private var times: [ExactText: Int64] = [:]
    private var former: [ExactText: Int64] = [:]
    /// Twice as many are remembered.
    private static let ordersMax = 10_000

    func time(of reference: ExactText) -> Int64? { times[reference] ?? former[reference] }

    mutating func note(_ reference: ExactText, _ time: Int64) {
        if times.count >= Self.ordersMax {
            former = times
            times = [:]
        }
        times[reference] = time
    }
}

extension InquiryPlan.Outcome {
    init(_ report: InquiryReport) {
        switch report.verdict {
        case .answered, .absent, .untrusted, .unreadable: self = .heard
        case .retry, .denied: self = .failed
        }
    }
}
