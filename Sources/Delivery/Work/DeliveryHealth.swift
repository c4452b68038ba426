import Platform

/// Counters and latencies of one destination, and whether its state and its feed can be used.
struct DeliveryHealth: Sendable {
    var counters = DeliveryCounters()
    let latency = Histogram(bounds: DeliveryHealth.latencyBounds)
    private var stateTrouble: String?
    private var readTrouble: String?

    /// Upper bounds of the histogram's buckets, in microseconds.
    private static let latencyBounds = [
        5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
        10_000_000, 30_000_000,
    ]

    /// Why the state or the store cannot be used; nil when they can.
    var trouble: String? { stateTrouble ?? readTrouble }

    /// Counts one attempt.
    mutating func count(_ outcome: AttemptOutcome) {
        counters.count(outcome)
        latency.add(outcome.latencyMicroseconds)
    }

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
