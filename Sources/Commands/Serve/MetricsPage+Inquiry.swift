import Inquiry
import Providers
import Receiver

extension MetricsPage {
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
