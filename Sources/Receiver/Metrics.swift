import Payments
import Platform
import Store
import Synchronization

/// The counters of `/metrics`. A count on the request path is an atomic addition without a lock;
/// only refusals, which are counted by reason, take one.
package final class Metrics: Sendable {
    private struct ReasonKey: Hashable, Comparable {
        let endpoint: String
        let reason: String

        static func < (left: ReasonKey, right: ReasonKey) -> Bool {
            (left.endpoint, left.reason) < (right.endpoint, right.reason)
        }
    }

    private let endpoints = Mutex<[String: EndpointCounters]>([:])
    private let reasons = Mutex<[ReasonKey: Int]>([:])
    /// Repetitions of each record.
    package let repetitions: Repetitions

    package init(clock: any Clock = SystemClock()) {
        repetitions = Repetitions(since: Timestamp(microseconds: clock.wallMicroseconds))
    }

    /// The counters of an endpoint. They are created at the first call and survive reloads.
    package func counters(of endpoint: String) -> EndpointCounters {
        endpoints.withLock { endpoints in
            if let known = endpoints[endpoint] { return known }
            let fresh = EndpointCounters()
            endpoints[endpoint] = fresh
            return fresh
        }
    }

    /// Counts a refusal by its reason code. The codes are defined in this program, so their number
    /// is bounded.
    func count(reason: String, at endpoint: String) {
        reasons.withLock { $0[ReasonKey(endpoint: endpoint, reason: reason), default: 0] += 1 }
    }

    /// Writes the counters in the Prometheus text format.
    package func write(to page: inout MetricsPage) {
        let endpoints = endpoints.withLock { $0 }.sorted { $0.key < $1.key }
        page.family(
            "ipnd_notifications_total", "counter",
            "Events at endpoints by outcome; a refused request is one.")
        for (name, counters) in endpoints {
            for outcome in Outcome.allCases {
                page.sample(
                    "ipnd_notifications_total",
                    [("endpoint", name), ("outcome", outcome.rawValue)], counters.value(outcome))
            }
        }
        page.family(
            "ipnd_last_notification_seconds", "gauge",
            "When the endpoint last accepted a notification since the start, as Unix time.")
        for (name, counters) in endpoints {
            guard let last = counters.lastAccepted else { continue }
            page.sample(
                "ipnd_last_notification_seconds", [("endpoint", name)],
                text: MetricsPage.seconds(micros: UInt64(clamping: last.microseconds)))
        }
        page.family("ipnd_refusals_total", "counter", "Refused requests by reason code.")
        let all = reasons.withLock { $0 }
        for (key, count) in all.sorted(by: { $0.key < $1.key }) {
            page.sample(
                "ipnd_refusals_total", [("endpoint", key.endpoint), ("reason", key.reason)], count)
        }
        page.family(
            "ipnd_unknown_path_total", "counter",
            "Requests that look like notifications, to paths without an endpoint.")
        // Zeros, too: Prometheus sees an increase only of a series that existed before.
        for (name, counters) in endpoints {
            page.sample(
                "ipnd_unknown_path_total", [("nearest", name)], counters.misdirectedCount)
        }
        page.family(
            "ipnd_redactions_total", "counter",
            "Card numbers, security codes and configured values removed before storing.")
        for (name, counters) in endpoints {
            let removed = counters.removed
            for (what, count) in [
                ("card", removed.cards), ("code", removed.codes), ("value", removed.values),
            ] {
                page.sample("ipnd_redactions_total", [("endpoint", name), ("what", what)], count)
            }
        }
        page.family(
            "ipnd_acknowledgement_seconds", "histogram",
            "From the parsed request to its answer, verification and sync included.")
        for (name, counters) in endpoints {
            page.histogram(
                "ipnd_acknowledgement_seconds", [("endpoint", name)], counters.latency.read()
            ) { MetricsPage.seconds(micros: UInt64(clamping: $0)) }
        }
    }
}
