import Payments
import Platform

/// Counters and latencies of one destination, and whether its state and its feed can be used.
struct DeliveryHealth: Sendable {
    var counters = DeliveryCounters()
    let latency = Histogram(bounds: DeliveryHealth.latencyBounds)
    private var stateTrouble: String?
    private var readTrouble: String?
    /// The failed attempts since everything was delivered; 0 while nothing fails.
    private(set) var failures = 0
    private(set) var lastFailure: FailedAttempt?
    private var hour = HourlyAttempts()

    /// Upper bounds of the histogram's buckets, in microseconds.
    private static let latencyBounds = [
        5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
        10_000_000, 30_000_000,
    ]

    /// Why the state or the store cannot be used; nil when they can.
    var trouble: String? { stateTrouble ?? readTrouble }

    /// Counts one attempt. Returns a notice for the first failure, and for the success after which
    /// nothing fails any more.
    ///
    /// - Parameters:
    ///   - count: The events that failed and are not delivered.
    ///   - now: Microseconds since 1970.
    mutating func count(
        _ outcome: AttemptOutcome, stillFailing count: Int, now: Int64
    ) -> DeliveryNotice? {
        counters.count(outcome)
        latency.add(outcome.latencyMicroseconds)
        hour.add(isFailure: !outcome.isSuccess, now: now)
        if outcome.isSuccess {
            guard failures > 0, count == 0 else { return nil }
            defer { failures = 0 }
            return .recovered(failures: failures)
        }
        lastFailure = FailedAttempt(
            at: Timestamp(microseconds: now), outcome: AttemptOutcomeSummary(outcome))
        failures += 1
        return failures == 1 ? .failing(reason: outcome.reason) : nil
    }

    /// The attempts of the last hour, and those of them that failed.
    func lastHour(now: Int64) -> (attempts: Int, failed: Int) { hour.read(now: now) }

    /// Returns a notice for the first of several failures in a row.
    mutating func stateFailed(_ failure: DeliveryStateFailure) -> DeliveryNotice? {
        counters.stateFailures += 1
        let sentence = "\(failure)"
        defer { stateTrouble = sentence }
        return stateTrouble == nil ? .stateFailed(sentence) : nil
    }

    mutating func stateWorked() { stateTrouble = nil }

    /// Returns a notice for the first of several failures in a row.
    mutating func readFailed(_ sentence: String) -> DeliveryNotice? {
        defer { readTrouble = sentence }
        return readTrouble == nil ? .unreadable(sentence) : nil
    }

    mutating func readWorked() { readTrouble = nil }
}

/// An attempt that failed, and when.
package struct FailedAttempt: Sendable, Equatable {
    package var at: Timestamp
    package var outcome: AttemptOutcomeSummary
}

/// Attempts of the last hour, by minute.
struct HourlyAttempts: Sendable {
    private struct Minute {
        var number: Int64 = -1
        var attempts = 0
        var failed = 0
    }

    private var minutes = [Minute](repeating: Minute(), count: 60)
    private static let microseconds: Int64 = 60_000_000

    mutating func add(isFailure: Bool, now: Int64) {
        let number = now / Self.microseconds
        let place = Int(number % 60)
        if minutes[place].number != number { minutes[place] = Minute(number: number) }
        minutes[place].attempts += 1
        if isFailure { minutes[place].failed += 1 }
    }

    func read(now: Int64) -> (attempts: Int, failed: Int) {
        let number = now / Self.microseconds
        return minutes.reduce((0, 0)) { sum, minute in
            // Those after now were counted before the clock was set back.
            guard (number - 59...number).contains(minute.number) else { return sum }
            return (sum.0 + minute.attempts, sum.1 + minute.failed)
        }
    }
}
