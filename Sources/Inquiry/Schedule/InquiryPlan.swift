import Payments
import Platform
import Providers
import Store

/// Decides which order of an endpoint is asked about next. No clock, no I/O: due orders and
/// outcomes in, questions out. Times are in microseconds since 1970.
struct InquiryPlan: Sendable {
    /// The outcome of a question.
    enum Outcome: Sendable, Equatable {
        /// The provider answered, possibly that it does not know the order.
        case answered
        /// No valid answer, or the credentials were refused.
        case failed
        /// Not asked: the order is settled or missing.
        case notNeeded
        /// Not asked: the order's pause is not over.
        case tooSoon(seconds: Double)
        /// The store cannot be read or written at present.
        case notStored
    }

    enum Step: Sendable, Equatable {
        case ask(String)
        /// Do nothing until then; nil for no fixed time.
        case wait(until: Int64?)
    }

    struct Waiting: Sendable, Equatable {
        /// When it became due.
        var due: Int64
        /// When it is asked about.
        var time: Int64
        /// Number of failed questions.
        var failures = 0
        /// Whether it is the order's last time in the schedule.
        var isLast: Bool
    }

    let schedule: InquirySchedule
    private(set) var breaker: InquiryBreaker
    private(set) var waiting: [ExactText: Waiting] = [:]
    private(set) var inFlight: [ExactText: Waiting] = [:]
    private var queue = TimedQueue<Int64, ExactText>()
    private var asked = AskedOrders()

    /// Number of times that a failed question is repeated; then the order waits for the schedule's
    /// next time.
    static let failuresMax = 5
    /// Pause after a failure of the store.
    static let storeRetryMicroseconds: Int64 = 10_000_000

    init(_ schedule: InquirySchedule) {
        self.schedule = schedule
        breaker = InquiryBreaker(
            failuresMax: schedule.breakerQuestions, seconds: schedule.breakerSeconds)
    }

    /// Number of orders that may be added.
    var room: Int { max(0, schedule.waitingOrdersMax - waiting.count - inFlight.count) }

    /// The earliest due time of the orders that wait or are in flight.
    var oldestDue: Int64? {
        let all = [waiting.values.map(\.due).min(), inFlight.values.map(\.due).min()]
        return all.compactMap(\.self).min()
    }

    /// Adds an order that is due. Skips it if it waits already, or was asked about since then.
    ///
    /// - Parameter chance: The part of the jitter that it gets, from 0 to 1.
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

    /// The next step. The caller calls `begin` before it asks.
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

    /// Records that the question is being asked.
    mutating func begin(_ reference: String) {
        let name = ExactText(reference)
        guard let entry = waiting.removeValue(forKey: name) else { return }
        inFlight[name] = entry
        breaker.ask(reference)
    }

    /// Applies the outcome. Returns whether it was the last question about the order.
    mutating func settle(_ reference: String, _ outcome: Outcome, now: Int64) -> Bool {
        let name = ExactText(reference)
        guard var entry = inFlight.removeValue(forKey: name) else { return false }
        switch outcome {
        case .answered:
            asked.note(name, now)
            breaker.succeed()
            return entry.isLast
        case .notNeeded:
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

/// Times at which orders were asked about. The oldest are forgotten; such an order may be asked
/// about once more.
private struct AskedOrders: Sendable {
    private var times: [ExactText: Int64] = [:]
    private var former: [ExactText: Int64] = [:]
    /// Size of one generation; two are kept.
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
        case .answered, .absent, .untrusted, .unreadable: self = .answered
        case .retry, .denied: self = .failed
        }
    }
}
