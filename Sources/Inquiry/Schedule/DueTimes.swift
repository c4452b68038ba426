import Payments
import Providers
import Store

/// When orders of an endpoint are due, as times in which they changed last.
///
/// An order is due at fixed times after its last word, so nothing is kept for it: the orders that
/// have become due since the last look are those that changed between two times, for each time of
/// the schedule. A start goes back over the schedule once. So an order that was missed meanwhile is
/// asked about once, and nothing is forgotten by a restart; what repeats daily just goes on.
struct AskingTimes: Sendable {
    let schedule: InquirySchedule
    /// What is to be read next.
    private(set) var rest: [OpenOrderSpan] = []
    /// Everything that was due at this time has been in `rest`.
    private(set) var through: Int64?

    /// A record is found in the index some time after it was received, and clocks differ a little:
    /// so much is looked at twice.
    static let overlapMicroseconds: Int64 = 60_000_000
    /// Repetitions that are looked for; ten years of days.
    static let repetitionsMax = 4000

    init(_ schedule: InquirySchedule) { self.schedule = schedule }

    private var steps: [Int64] { schedule.schedule.map(Self.microseconds) }
    private var repetition: Int64 { Self.microseconds(schedule.repeatSeconds) }

    private static func microseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e6) }

    /// Orders that are due at `now` are to be read. What is left of the last time comes first.
    ///
    /// - Parameter oldest: When the open order that changed the longest ago did so.
    mutating func advance(to now: Int64, oldest: Int64?) {
        guard rest.isEmpty else { return }
        defer { through = now }
        guard let oldest, oldest <= now, let last = steps.last else { return }
        // A clock that is set back has nothing to look for.
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

    /// This is left of what was to be read.
    mutating func keep(_ rest: [OpenOrderSpan]) { self.rest = rest }

    /// Only orders that changed last, or expire, at this time or later are asked about.
    func activeSince(_ now: Int64) -> Timestamp { Timestamp(microseconds: now - patience) }

    private var patience: Int64 { Int64(schedule.daysAfterExpiry) * 86_400 * 1_000_000 }

    /// When an order that changed then became due the last time; nil when it never was.
    func due(of order: OpenOrder, now: Int64) -> Int64? {
        let age = now - order.updated.microseconds
        guard let first = steps.first, let last = steps.last, age >= first else { return nil }
        if age >= last {
            return order.updated.microseconds + last + (age - last) / repetition * repetition
        }
        let step = steps.last { $0 <= age } ?? first
        return order.updated.microseconds + step
    }

    /// Whether the order will not become due again after this time.
    func isLast(_ due: Int64, of order: OpenOrder) -> Bool {
        let updated = order.updated.microseconds
        let next = steps.map { updated + $0 }.first { $0 > due } ?? due + repetition
        return next > max(order.expires?.microseconds ?? updated, updated) + patience
    }
}
