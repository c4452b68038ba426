import Synchronization

/// Counts what happens, for `/metrics`. A count on the request path is an atomic addition without
/// a lock; refusals, which name a reason, go through one.
package final class Metrics: Sendable {
    /// One endpoint's counters.
    private final class EndpointCounters: Sendable {
        let recorded = Atomic<Int>(0)
        let duplicate = Atomic<Int>(0)
        let conflict = Atomic<Int>(0)
        let ignored = Atomic<Int>(0)
        let refused = Atomic<Int>(0)
        let unavailable = Atomic<Int>(0)
        let latency = Histogram()

        func add(_ outcome: Outcome) {
            switch outcome {
            case .recorded: recorded.wrappingAdd(1, ordering: .relaxed)
            case .duplicate: duplicate.wrappingAdd(1, ordering: .relaxed)
            case .conflict: conflict.wrappingAdd(1, ordering: .relaxed)
            case .ignored: ignored.wrappingAdd(1, ordering: .relaxed)
            case .refused: refused.wrappingAdd(1, ordering: .relaxed)
            case .unavailable: unavailable.wrappingAdd(1, ordering: .relaxed)
            }
        }

        func value(_ outcome: Outcome) -> Int {
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

    private struct ReasonKey: Hashable {
        let endpoint: String
        let reason: String
    }

    private let endpoints: [String: EndpointCounters]
    private let reasons = Mutex<[ReasonKey: Int]>([:])

    package init(endpoints names: [String]) {
        endpoints = Dictionary(uniqueKeysWithValues: names.map { ($0, EndpointCounters()) })
    }

    /// Counts one request that took `micros` from the parsed request to its answer.
    func count(_ outcome: Outcome, at endpoint: String, micros: UInt64) {
        guard let counters = endpoints[endpoint] else { return }
        counters.add(outcome)
        counters.latency.add(micros: micros)
    }

    /// Counts a refusal by its reason code; codes are ours, so their number is bounded.
    func count(reason: String, at endpoint: String) {
        reasons.withLock { $0[ReasonKey(endpoint: endpoint, reason: reason), default: 0] += 1 }
    }

    /// How many requests at `endpoint` ended so.
    package func value(_ outcome: Outcome, at endpoint: String) -> Int {
        endpoints[endpoint]?.value(outcome) ?? 0
    }

    /// Writes the counters in the Prometheus text format.
    func write(to page: inout MetricsPage) {
        page.family("ipnd_notifications_total", "counter", "Requests at endpoints by outcome.")
        for (name, counters) in endpoints.sorted(by: { $0.key < $1.key }) {
            for outcome in Outcome.allCases {
                page.sample(
                    "ipnd_notifications_total",
                    [("endpoint", name), ("outcome", outcome.rawValue)], counters.value(outcome))
            }
        }
        page.family("ipnd_refusals_total", "counter", "Refused requests by reason code.")
        let all = reasons.withLock { $0 }
        for (key, count) in all.sorted(by: { ($0.key.endpoint, $0.key.reason) < ($1.key.endpoint, $1.key.reason) }) {
            page.sample(
                "ipnd_refusals_total", [("endpoint", key.endpoint), ("reason", key.reason)], count)
        }
        page.family(
            "ipnd_acknowledgement_seconds", "histogram",
            "From the parsed request to its answer, verification and sync included.")
        for (name, counters) in endpoints.sorted(by: { $0.key < $1.key }) {
            counters.latency.write(to: &page, "ipnd_acknowledgement_seconds", [("endpoint", name)])
        }
    }
}
