import Payments
import Platform
import Synchronization

/// One endpoint's counters. A count is an atomic addition, without a lock.
package final class EndpointCounters: Sendable {
    private let recorded = Atomic<Int>(0)
    private let duplicate = Atomic<Int>(0)
    private let conflict = Atomic<Int>(0)
    private let ignored = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let unavailable = Atomic<Int>(0)
    private let misdirected = Atomic<Int>(0)
    /// Time of the newest accepted notification in microseconds; 0 before the first.
    private let accepted = Atomic<Int64>(0)
    /// Acknowledgement times in microseconds.
    let latency = Histogram(bounds: [
        100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 5_000_000,
    ])

    init() {}

    /// Counts one request that was answered `micros` microseconds after it was parsed.
    func count(_ outcome: Outcome, micros: UInt64) {
        latency.add(Int(clamping: micros))
        count(outcome)
    }

    /// Counts one event of a request that reported several.
    func count(_ outcome: Outcome) {
        switch outcome {
        case .recorded: recorded.wrappingAdd(1, ordering: .relaxed)
        case .duplicate: duplicate.wrappingAdd(1, ordering: .relaxed)
        case .conflict: conflict.wrappingAdd(1, ordering: .relaxed)
        case .ignored: ignored.wrappingAdd(1, ordering: .relaxed)
        case .refused: refused.wrappingAdd(1, ordering: .relaxed)
        case .unavailable: unavailable.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Records that a notification received at `time` was acknowledged. Repetitions count, too.
    func noteAccepted(at time: Timestamp) {
        accepted.max(time.microseconds, ordering: .relaxed)
    }

    /// When the newest acknowledged notification was received; nil if none was since the start.
    package var lastAccepted: Timestamp? {
        let microseconds = accepted.load(ordering: .relaxed)
        return microseconds > 0 ? Timestamp(microseconds: microseconds) : nil
    }

    /// Counts a request to an unknown path that was probably meant for this endpoint.
    func countMisdirected() { misdirected.wrappingAdd(1, ordering: .relaxed) }

    /// Number of requests that ``countMisdirected()`` counted.
    var misdirectedCount: Int { misdirected.load(ordering: .relaxed) }

    /// Number of events with this outcome. A request that was refused counts as one.
    package func value(_ outcome: Outcome) -> Int {
        switch outcome {
        case .recorded: recorded.load(ordering: .relaxed)
        case .duplicate: duplicate.load(ordering: .relaxed)
        case .conflict: conflict.load(ordering: .relaxed)
        case .ignored: ignored.load(ordering: .relaxed)
        case .refused: refused.load(ordering: .relaxed)
        case .unavailable: unavailable.load(ordering: .relaxed)
        }
    }
}
