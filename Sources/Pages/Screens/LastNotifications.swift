import AdminAPI
import Payments

/// The time of the last accepted notification of each endpoint.
///
/// This process counts the notifications that it received since its start, repetitions included.
/// Earlier ones, and those of other instances, are read from the newest records.
struct LastNotifications {
    /// Number of the newest records to read. The feed keeps them in memory anyway.
    static let recordsMax = 500

    private var times: [String: Timestamp] = [:]
    /// Whether the store has no further records.
    private var isWhole = false

    /// - Parameter hasOtherInstances: Whether other instances record into the same store.
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
        let events = try? await visit.api.events(after: UInt64(start), limit: recordsMax)
        last.isWhole = events != nil && start == 0
        for event in events ?? [] where event.isNotification {
            last.note(event.endpoint, event.received)
        }
        return last
    }

    private mutating func note(_ endpoint: String, _ time: Timestamp) {
        times[endpoint] = times[endpoint].map { max($0, time) } ?? time
    }

    /// The values of a page: a time, or a sentence.
    func values(of endpoint: String) -> PageValues {
        if let time = times[endpoint] { return ["time": PageText.time(time)] }
        let sentence =
            isWhole
            ? "none yet" : "none in the newest \(PageText.count(Self.recordsMax)) records"
        return ["sentence": sentence]
    }
}
