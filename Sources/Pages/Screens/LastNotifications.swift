import AdminAPI
import JSON
import Payments

/// When each endpoint last accepted a notification.
///
/// This process knows it of all that came to itself since its start, repetitions included. What
/// came before, or to another instance, is read from the newest records.
struct LastNotifications {
    /// So many of the newest records are looked at, which the feed keeps in memory anyway.
    static let recordsMax = 500

    private var times: [String: Timestamp] = [:]
    /// Whether the records looked at are all that there are.
    private var isWhole = false

    /// - Parameter hasOtherInstances: Whether others may have taken some.
    static func read(
        of endpoints: [String], _ metrics: MetricsReading, hasOtherInstances: Bool,
        _ visit: PageVisit
    ) async -> LastNotifications {
        var last = LastNotifications()
        for sample in metrics.all("ipnd_last_notification_seconds") {
            guard let endpoint = sample.labels["endpoint"] else { continue }
            last.note(endpoint, Timestamp(microseconds: Int64(sample.value * 1_000_000)))
        }
        guard hasOtherInstances || !endpoints.allSatisfy({ last.times[$0] != nil }) else {
            return last
        }
        let newest = Int(metrics["ipnd_sequence"] ?? 0)
        let start = max(0, newest - recordsMax)
        let page = try? await visit.answers.get("/events?after=\(start)&limit=\(recordsMax)")
        last.isWhole = page != nil && start == 0
        for record in page?.list("events") ?? [] where isNotification(record) {
            guard let endpoint = record["endpoint"]?.string,
                let time = record["received"]?.string.flatMap({ Timestamp(iso8601: $0) })
            else { continue }
            last.note(endpoint, time)
        }
        return last
    }

    private mutating func note(_ endpoint: String, _ time: Timestamp) {
        times[endpoint] = times[endpoint].map { max($0, time) } ?? time
    }

    /// Not what the merchant registered, what somebody did, and what a provider was asked.
    static func isNotification(_ record: JSONValue) -> Bool {
        let kind = record["event"]?["kind"]?.string ?? ""
        return record["inquiry"] == nil && !["expectation", "correction", "action"].contains(kind)
    }

    /// For a page: a time, or a sentence.
    func values(of endpoint: String) -> PageValues {
        if let time = times[endpoint], let shown = PageText.time(time.rfc3339) {
            return ["time": shown]
        }
        let sentence =
            isWhole
            ? "none yet" : "none in the newest \(PageText.count(Self.recordsMax)) records"
        return ["sentence": sentence]
    }
}
