import Delivery
import Inquiry
import Providers
import Receiver
import Telemetry

extension MetricsPage {
    /// Writes the metrics of destinations, without gauges of those that another instance serves.
    mutating func write(destinations: [DestinationStatus]) {
        guard !destinations.isEmpty else { return }
        let served = destinations.filter(\.isServed)
        gauge(
            per: "destination", "ipnd_delivery_served",
            "1 while this instance delivers to the destination.",
            destinations.map { ($0.name, $0.isServed ? 1 : 0) })
        gauge(
            per: "destination", "ipnd_delivery_oldest_seconds",
            "Age of the oldest undelivered event, without dead letters and the events after them.",
            served.map { ($0.name, Int($0.oldestSeconds)) })
        gauge(
            per: "destination", "ipnd_delivery_lag_events",
            "Records not yet read for the destination, and events waiting.",
            served.map { ($0.name, Int(clamping: $0.lag)) })
        gauge(
            per: "destination", "ipnd_delivery_waiting_events",
            "Events read and not yet delivered.",
            served.map { ($0.name, $0.figures?.waiting ?? 0) })
        gauge(
            per: "destination", "ipnd_delivery_dead_letters", "Events whose attempts are used up.",
            served.map { ($0.name, $0.figures?.dead ?? 0) })
        gauge(
            per: "destination", "ipnd_delivery_in_flight", "Requests in flight.",
            served.map { ($0.name, $0.figures?.inFlight ?? 0) })
        gauge(
            per: "destination", "ipnd_delivery_breaker_open",
            "1 while every attempt fails and the destination is only probed.",
            served.map { ($0.name, $0.figures?.breaker == .closed ? 0 : 1) })
        gauge(
            per: "destination", "ipnd_delivery_paused",
            "1 while the destination is paused by a person or by its answer 410.",
            served.map { ($0.name, $0.figures?.pause == nil ? 0 : 1) })
        gauge(
            per: "destination", "ipnd_delivery_trouble",
            "1 while the delivery state or the store cannot be used.",
            destinations.map { ($0.name, $0.trouble == nil ? 0 : 1) })
        writeCounters(destinations)
    }

    private mutating func writeCounters(_ destinations: [DestinationStatus]) {
        family("ipnd_delivery_attempts_total", "counter", "Attempts by outcome.")
        for status in destinations {
            for (outcome, count) in status.counters.attempts.sorted(by: { $0.key < $1.key }) {
                sample(
                    "ipnd_delivery_attempts_total",
                    [("destination", status.name), ("outcome", outcome)], count)
            }
        }
        family(
            "ipnd_delivery_missed_records_total", "counter",
            "Records deleted by retention before they were delivered.")
        for status in destinations {
            sample(
                "ipnd_delivery_missed_records_total", [("destination", status.name)],
                status.counters.missed)
        }
        family("ipnd_delivery_seconds", "histogram", "Time from an attempt to its answer.")
        for status in destinations {
            histogram(
                "ipnd_delivery_seconds", [("destination", status.name)],
                status.latencyMicroseconds
            ) { MetricsPage.seconds(micros: UInt64(clamping: $0)) }
        }
    }

    /// Writes the metrics of inquiries, without gauges of endpoints that another instance asks
    /// about.
    mutating func write(
        inquiries statuses: [InquiryStatus], counters: [String: InquiryCounters]
    ) {
        writeCounters(counters)
        guard !statuses.isEmpty else { return }
        let served = statuses.filter(\.isServed)
        gauge(
            per: "endpoint", "ipnd_inquiry_served",
            "1 while this instance asks the endpoint's provider.",
            statuses.map { ($0.endpoint, $0.isServed ? 1 : 0) })
        gauge(
            per: "endpoint", "ipnd_inquiry_oldest_seconds",
            "Seconds since the oldest waiting order became due for an inquiry.",
            served.map { ($0.endpoint, Int($0.oldestSeconds)) })
        gauge(
            per: "endpoint", "ipnd_inquiry_waiting_orders",
            "Orders that are due and not yet asked about.",
            served.map { ($0.endpoint, $0.waiting) })
        gauge(
            per: "endpoint", "ipnd_inquiry_in_flight", "Questions in flight.",
            served.map { ($0.endpoint, $0.inFlight) })
        gauge(
            per: "endpoint", "ipnd_inquiry_breaker_open",
            "1 while every question fails and the provider is only asked from time to time.",
            served.map { ($0.endpoint, $0.isBreakerOpen ? 1 : 0) })
        gauge(
            per: "endpoint", "ipnd_inquiry_trouble",
            "1 while the orders to ask about cannot be determined.",
            statuses.map { ($0.endpoint, $0.trouble == nil ? 0 : 1) })
        family(
            "ipnd_inquiry_ended_total", "counter",
            "Orders without a final status that are not asked about any more.")
        for status in statuses {
            sample("ipnd_inquiry_ended_total", [("endpoint", status.endpoint)], status.ended)
        }
    }

    /// Writes the metrics of the endpoints whose gaps are read from the provider's list.
    mutating func write(backfills statuses: [BackfillStatus]) {
        guard !statuses.isEmpty else { return }
        gauge(
            per: "endpoint", "ipnd_backfill_open_seconds",
            "Length of the gaps that are still to be read from the provider's list of events.",
            statuses.filter(\.isServed).map { ($0.endpoint, Int($0.openSeconds)) })
        gauge(
            per: "endpoint", "ipnd_backfill_trouble",
            "1 while the list cannot be read, or a gap would not be noticed after a restart.",
            statuses.map { ($0.endpoint, $0.trouble == nil ? 0 : 1) })
        family(
            "ipnd_backfill_records_total", "counter",
            "Events of gaps that no notification had reported.")
        for status in statuses {
            sample(
                "ipnd_backfill_records_total", [("endpoint", status.endpoint)], status.recorded)
        }
    }

    /// Writes the metrics of exported traces.
    mutating func write(spans queue: SpanQueue.Figures, _ exporter: SpanExporter.Figures) {
        family("ipnd_spans_total", "counter", "Spans of traces that ended, by what became of them.")
        let results = [
            ("sent", exporter.sent), ("refused", exporter.refused), ("dropped", queue.dropped),
        ]
        for (result, count) in results { sample("ipnd_spans_total", [("result", result)], count) }
        family("ipnd_spans_waiting", "gauge", "Spans that wait for the collector.")
        sample("ipnd_spans_waiting", [], queue.waiting)
        family(
            "ipnd_trace_export_failures_total", "counter",
            "Requests with spans that the collector did not take.")
        sample("ipnd_trace_export_failures_total", [], exporter.failures)
    }

    /// Writes the metrics of exported metrics.
    mutating func write(metricsFailures failures: Int) {
        family(
            "ipnd_metrics_export_failures_total", "counter",
            "Requests with metrics that the collector did not take.")
        sample("ipnd_metrics_export_failures_total", [], failures)
    }

    private mutating func writeCounters(_ counters: [String: InquiryCounters]) {
        guard !counters.isEmpty else { return }
        let all = counters.sorted { $0.key < $1.key }
        family("ipnd_inquiries_total", "counter", "Inquiries by result.")
        for (endpoint, counters) in all {
            for verdict in InquiryVerdict.allCases {
                sample(
                    "ipnd_inquiries_total",
                    [("endpoint", endpoint), ("result", verdict.rawValue)],
                    counters.verdicts[verdict] ?? 0)
            }
            sample(
                "ipnd_inquiries_total", [("endpoint", endpoint), ("result", "not_stored")],
                counters.notStored)
        }
        family(
            "ipnd_inquiry_records_total", "counter",
            "Records from answers: facts that no notification had reported.")
        for (endpoint, counters) in all {
            sample(
                "ipnd_inquiry_records_total", [("endpoint", endpoint)], counters.recorded)
        }
    }
}
