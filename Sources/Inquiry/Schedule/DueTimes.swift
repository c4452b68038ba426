import Payments
import Providers
import Store

/// The times at which an endpoint's orders are due, as spans in which those orders last changed.
///
/// An order is due at fixed times after its last change, so nothing is stored for it. The orders
/// that became due since the last look are those that changed within a span, one span for each time
/// of the schedule. A restart goes back over the schedule once, without the daily repetitions, so
/// that an order that was missed meanwhile is asked about once.
struct DueTimes: Sendable {
    let schedule: InquirySchedule
    /// The spans to read next.
    private(set) var rest: [OpenOrderSpan] = []
    /// Everything that was due at this time has been in `rest`.
    private(set) var through: Int64?

    /// Time that is read twice: a record is in the index some time after it was received, and
    /// clocks differ a little.
    static let overlapMicroseconds: Int64 = 60_000_000
    /// Largest number of daily repetitions to look for: ten years.
    static let repetitionsMax = 4000

    init(_ schedule: InquirySchedule) { self.schedule = schedule }

    private var steps: [Int64] { schedule.schedule.map(Self.microseconds) }
    private var repetition: Int64 { Self.microseconds(schedule.repeatSeconds) }

    private static func microseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e6) }

    /// Adds the spans of the orders that are due at `now`, unless earlier spans are left.
    ///
    /// - Parameter oldest: When the least recently changed open order changed.
    mutating func advance(to now: Int64, oldest: Int64?) {
        guard rest.isEmpty else { return }
        defer { through = now }
        guard let oldest, oldest <= now, let last = steps.last else { return }
        // If the clock was set back, there is nothing to look for.
        let looked = through.map { min($0, now) - Self.overlapMicroseconds }
        for (number, step) in steps.enumerated() {
            let gap = number + 1 < steps.count ? steps[number + 1] - step : repetition
            add(after: max(looked ?? .min, now - gap), through: now, step: step, oldest)
        }
        guard let looked else { return }
        let count = min(Int64(Self.repetitionsMax), (now - oldest - last) / repetition)
        guard count > 0 else { return }
        for number in 1...count {
            add(
                after: max(looked, now - repetition), through: now,
                step: last + number * repetition, oldest)
        }
    }

    private mutating func add(
        after: Int64, through: Int64, step: Int64, _ oldest: Int64
    ) {
        guard through - step >= oldest else { return }
        rest.append(
            OpenOrderSpan(
                after: Timestamp(microseconds: after - step),
                through: Timestamp(microseconds: through - step)))
    }

    /// Sets the spans that are left to read.
    mutating func keep(_ rest: [OpenOrderSpan]) { self.rest = rest }

    /// Only orders that changed last, or expire, at this time or later are asked about.
    func activeSince(_ now: Int64) -> Timestamp { Timestamp(microseconds: now - patience) }

    private var patience: Int64 { Int64(schedule.daysAfterExpiry) * 86_400 * 1_000_000 }

    /// When the order became due last; nil if it was not due yet.
    func due(of order: OpenOrder, now: Int64) -> Int64? {
        let age = now - order.updated.microseconds
        guard let first = steps.first, let last = steps.last, age >= first else { return nil }
        if age >= last {
            return order.updated.microseconds + last + (age - last) / repetition * repetition
        }
        let step = steps.last { $0 <= age } ?? first
        return order.updated.microseconds + step
    }

    /// Whether `due` is the last time that the order is due.
    func isLast(_ due: Int64, of order: OpenOrder) -> Bool {
        let updated = order.updated.microseconds
        let next = steps.map { updated + $0 }.first { $0 > due } ?? due + repetition
        return next > max(order.expires?.microseconds ?? updated, updated) + patience
    }
}
