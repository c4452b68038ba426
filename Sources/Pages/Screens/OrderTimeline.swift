import HTTP
import JSON

/// Everything that happened to an order, the newest first: its records, and what became of telling
/// the merchant's own systems.
struct OrderTimeline {
    let items: [PageValues]
    /// Records that are older than those shown.
    let hidden: Int

    private static let recordsMax = 25
    private static let attemptsMax = 50

    /// `order` as `GET /orders/{endpoint}/{reference}` answers.
    static func read(
        _ order: JSONValue, _ visit: PageVisit
    ) async throws(PageProblem) -> OrderTimeline {
        let sequences = order.list("sequences").compactMap(\.int64)
        let repeated = repetitions(of: order)
        var entries: [(time: String, values: PageValues)] = []
        var shown = Set<Int64>()
        for sequence in sequences.suffix(recordsMax) where !shown.contains(sequence) {
            // Neighbours come in one page, which saves looks at the journal.
            let run = sequences.filter { $0 >= sequence && $0 < sequence + 8 }
            let limit = (run.last ?? sequence) - sequence + 1
            let page = try await visit.answers.get("/events?after=\(sequence - 1)&limit=\(limit)")
            for record in page.list("events") {
                guard let number = record["sequence"]?.int64, run.contains(number),
                    shown.insert(number).inserted
                else { continue }
                var values = item(record, number, visit)
                values["repeated"] = repeated[number]
                entries.append((record["received"]?.string ?? "", values))
            }
        }
        entries += await deliveries(of: order, visit)
        let sorted = entries.sorted { $0.time > $1.time }.map(\.values)
        return OrderTimeline(items: sorted, hidden: max(0, sequences.count - recordsMax))
    }

    /// By the record that was repeated: how often, and when last.
    private static func repetitions(of order: JSONValue) -> [Int64: PageValues] {
        var found: [Int64: PageValues] = [:]
        for record in order["repetitions"]?.list("records") ?? [] {
            guard let sequence = record["sequence"]?.int64, let times = record["times"]?.int64
            else { continue }
            var values: PageValues = [
                "times": times == 1 ? "once" : "\(PageText.count(times)) times"
            ]
            values["time"] = PageText.time(record["last"]?.string)
            found[sequence] = values
        }
        return found
    }

    private static func item(
        _ record: JSONValue, _ sequence: Int64, _ visit: PageVisit
    ) -> PageValues {
        let event = record["event"]
        let kind = event?["kind"]?.string ?? ""
        let outcome = record["outcome"]?.string ?? ""
        let status = event?["status"]?.string ?? ""
        let action = event?["action"]
        var values: PageValues = [
            "id": "r\(sequence)", "sequence": PageText.count(sequence),
            "head": title(kind, status), "tone": tone(outcome, kind),
            "amount": PageText.money(event?["effect"]?["amount"])
                ?? PageText.money(event?["expectation"]?["amount"]) ?? "",
            "transaction": event?["transaction"]?.string ?? "",
            "reason": action?["reason"]?.string ?? event.map(OrderScreen.reason) ?? "",
            "actor": action?["by"]?.string ?? "", "key": record["key"]?.string ?? "",
            "peer": visit.role.seesRequests ? record["peer"]?.string ?? "" : "",
            "isConflict": outcome == "conflict", "isIgnored": outcome == "ignored",
        ]
        values["time"] = PageText.time(record["received"]?.string)
        if let before = record["order"]?["previous"]?.string,
            let after = record["order"]?["status"]?.string, before != after
        {
            values["change"] =
                [
                    "before": StatusLook(order: before).values,
                    "after": StatusLook(order: after).values,
                ] as PageValues
        } else if let after = record["order"]?["status"]?.string {
            values["status"] = StatusLook(order: after).values
        }
        if let other = record["conflictsWith"]?.int64 {
            values["conflictsWith"] = PageText.count(other)
        }
        let inquiry = record["inquiry"]
        values["isInquiry"] = inquiry != nil
        values["requests"] = requests(record, inquiry, visit)
        return values
    }

    /// What came in, or what was asked and answered; with their personal data, for the full role.
    private static func requests(
        _ record: JSONValue, _ inquiry: JSONValue?, _ visit: PageVisit
    ) -> [PageValues] {
        guard visit.role.seesRequests else { return [] }
        let sequence = record["sequence"]?.int64 ?? 0
        let parts: [(String, String, JSONValue?)] = [
            ("q", "Request as received", record["request"]),
            ("a", "What was asked", inquiry?["request"]),
            ("b", "What was answered", inquiry?["answer"]),
        ]
        return parts.compactMap { mark, title, value in
            guard var values = RequestText(value)?.values else { return nil }
            values["title"] = title
            values["id"] = "\(mark)\(sequence)"
            return values
        }
    }

    private static func title(_ kind: String, _ status: String) -> String {
        let kind = StatusLook.plain(kind)
        return ([kind.prefix(1).uppercased() + kind.dropFirst(), StatusLook.plain(status)])
            .filter { !$0.isEmpty }.joined(separator: ": ")
    }

    private static func tone(_ outcome: String, _ kind: String) -> String {
        switch (outcome, kind) {
        case ("conflict", _): StatusLook.Tone.warn.rawValue
        case (_, "dispute"): StatusLook.Tone.bad.rawValue
        case (_, "expectation"), (_, "correction"), (_, "action"): StatusLook.Tone.quiet.rawValue
        default: StatusLook.Tone.wait.rawValue
        }
    }

    /// Attempts that failed or succeeded after others, and what still waits.
    private static func deliveries(
        of order: JSONValue, _ visit: PageVisit
    ) async -> [(time: String, values: PageValues)] {
        guard let reference = order["reference"]?.string else { return [] }
        let query = FormFields.query([("reference", reference)])
        guard let answer = try? await visit.answers.get("/deliveries?\(query)&limit=50") else {
            return []
        }
        let own = Set(order.list("sequences").compactMap(\.int64))
        var entries: [(time: String, values: PageValues)] = []
        for attempt in answer.list("attempts").prefix(attemptsMax) {
            // Another endpoint may know the same reference.
            guard let sequence = attempt["sequence"]?.int64, own.contains(sequence) else {
                continue
            }
            let time = attempt["began"]?.string ?? ""
            let isDone = attempt["reason"]?.string == "delivered"
            let destination = attempt["destination"]?.string ?? ""
            var values: PageValues = [
                "id": "d\(destination)-\(sequence)-\(attempt["number"]?.int64 ?? 0)",
                "sequence": PageText.count(sequence), "isDelivery": true,
                "head": isDone
                    ? "Delivered to \(destination)" : "Delivery to \(destination) failed",
                "tone": isDone ? StatusLook.Tone.good.rawValue : StatusLook.Tone.bad.rawValue,
                "reason": [
                    StatusLook.plain(attempt["reason"]?.string ?? ""),
                    attempt["detail"]?.string ?? "",
                ].filter { !$0.isEmpty }.joined(separator: ": "),
                "attempt": "attempt \(attempt["number"]?.int64 ?? 0)",
            ]
            values["time"] = PageText.time(time)
            entries.append((time, values))
        }
        return entries
    }
}
