import AdminAPI
import HTTP
import Payments

/// The history of an order, newest first: its records, and the attempts to deliver them to the
/// merchant's systems.
struct OrderTimeline {
    let items: [PageValues]
    /// Number of records older than those shown.
    let hidden: Int

    private static let recordsMax = 25
    private static let attemptsMax = 50

    private typealias Entry = (time: Timestamp, values: PageValues)

    static func read(
        _ order: OrderAnswer, _ visit: PageVisit
    ) async throws(Problem) -> OrderTimeline {
        let sequences = order.sequences
        let repeated = Dictionary(
            (order.repetitions?.records ?? []).map { ($0.sequence, repetition($0)) },
            uniquingKeysWith: { first, _ in first })
        var entries: [Entry] = []
        var shown = Set<UInt64>()
        for sequence in sequences.suffix(recordsMax) where !shown.contains(sequence) {
            // Neighbouring records are read as one page, which saves reads of the journal.
            let run = sequences.filter { $0 >= sequence && $0 < sequence + 8 }
            let limit = (run.last ?? sequence) - sequence + 1
            let events = try await visit.api.events(after: sequence - 1, limit: Int(limit))
            for event in events where run.contains(event.sequence) {
                guard shown.insert(event.sequence).inserted else { continue }
                let event = try await visit.api.withRequest(event)
                var values = item(event, visit)
                values["repeated"] = repeated[event.sequence]
                entries.append((event.received, values))
            }
        }
        entries += await deliveries(of: order, visit)
        let sorted = entries.sorted { $0.time > $1.time }.map(\.values)
        return OrderTimeline(items: sorted, hidden: max(0, sequences.count - recordsMax))
    }

    private static func repetition(_ record: RepetitionsAnswer.Record) -> PageValues {
        [
            "times": record.times == 1 ? "once" : "\(PageText.count(record.times)) times",
            "time": PageText.time(record.last),
        ]
    }

    /// The values of one record.
    static func item(_ record: EventAnswer, _ visit: PageVisit) -> PageValues {
        let event = record.event
        var values: PageValues = [
            "id": "r\(record.sequence)", "sequence": PageText.count(record.sequence),
            "head": title(event.kind, event.status), "tone": tone(record).rawValue,
            "amount": PageText.money(event.effect?.amount ?? event.expectation?.amount) ?? "",
            "transaction": event.transaction ?? "",
            "reason": event.action?.reason ?? OrderScreen.text(event.reason),
            "actor": event.action?.by ?? "", "key": record.key ?? "",
            "peer": visit.role.seesPersonalData ? record.peer ?? "" : "",
            "isConflict": record.outcome == "conflict", "isIgnored": record.outcome == "ignored",
            "time": PageText.time(record.received), "isInquiry": record.inquiry != nil,
            "requests": requests(record, visit), "isErased": record.erased != nil,
        ]
        if let order = record.order {
            let after = StatusLook(order: order.status).values
            if let before = order.previous, before != order.status {
                values["change"] =
                    ["before": StatusLook(order: before).values, "after": after] as PageValues
            } else {
                values["status"] = after
            }
        }
        values["conflictsWith"] = record.conflictsWith.map { PageText.count($0) }
        return values
    }

    /// The request that was received, or the inquiry and its answer. They contain personal data, so
    /// only the role `admin` gets them.
    private static func requests(_ record: EventAnswer, _ visit: PageVisit) -> [PageValues] {
        guard visit.role.seesPersonalData else { return [] }
        let received =
            record.part.map { "Request as received, event \($0.number) of \($0.count)" }
            ?? "Request as received"
        let parts: [(String, String, RequestAnswer?)] = [
            ("q", received, record.request),
            ("a", "Inquiry as sent", record.inquiry?.request),
            ("b", "Answer to the inquiry", record.inquiry?.answer),
        ]
        return parts.compactMap { mark, title, request in
            guard let request else { return nil }
            var values = RequestText(request).values
            values["title"] = request.redacted == nil ? title : "\(title), redacted"
            values["id"] = "\(mark)\(record.sequence)"
            return values
        }
    }

    /// The event in words: the kind and the provider's status, or the act.
    private static func title(_ kind: String, _ status: String) -> String {
        switch (kind, status) {
        case ("action", "inquire"): return "Provider asked"
        case ("action", "resolve"): return "Review resolved"
        case ("action", "correct"): return "Expected amount corrected"
        case ("action", "split"): return "Order split"
        case ("action", "erase"): return "Personal data erased"
        case ("action", "retry"): return "Deliveries retried"
        case ("action", "give_up"): return "Delivery given up"
        case ("action", "resend"): return "Delivered again"
        case ("action", "pause"): return "Destination paused"
        case ("action", "resume"): return "Destination resumed"
        case ("action", "test"): return "Destination tested"
        case ("expectation", _): return "Payment expected"
        case ("correction", _): return "Correction by later rules"
        default: break
        }
        let kind = StatusLook.plain(kind)
        return PageText.joined(
            [kind.prefix(1).uppercased() + kind.dropFirst(), StatusLook.plain(status)], by: ": ")
    }

    private static func tone(_ record: EventAnswer) -> StatusLook.Tone {
        switch (record.outcome, record.event.kind) {
        case ("conflict", _): .warn
        case (_, "dispute"): .bad
        case (_, "expectation"), (_, "correction"), (_, "action"): .quiet
        default: .wait
        }
    }

    /// Attempts that failed, and those that succeeded after others had failed.
    private static func deliveries(of order: OrderAnswer, _ visit: PageVisit) async -> [Entry] {
        guard let reference = order.reference,
            let list = try? await visit.api.deliveries([
                ("reference", reference), ("limit", "\(attemptsMax)"),
            ])
        else { return [] }
        // Another endpoint may have an order of the same reference.
        let own = Set(order.sequences)
        return (list.attempts ?? []).prefix(attemptsMax).filter { own.contains($0.sequence) }
            .map { ($0.began, entry($0)) }
    }

    /// The kept attempts of one event, newest first.
    static func deliveries(
        of event: EventAnswer, _ visit: PageVisit
    ) async -> [(destination: String, values: PageValues)] {
        guard let reference = event.order?.reference ?? event.event.transaction,
            let list = try? await visit.api.deliveries([
                ("reference", reference), ("limit", "\(attemptsMax)"),
            ])
        else { return [] }
        return (list.attempts ?? []).filter { $0.sequence == event.sequence }
            .map { ($0.destination, entry($0)) }
    }

    private static func entry(_ attempt: DeliveryAttemptAnswer) -> PageValues {
        let isDone = attempt.outcome.reason == "delivered"
        let (destination, sequence) = (attempt.destination, attempt.sequence)
        let tone: StatusLook.Tone = isDone ? .good : .bad
        let milliseconds = PageText.decimal(Double(attempt.outcome.latencyMicroseconds) / 1000)
        return [
            "id": "d\(destination)-\(sequence)-\(attempt.number)",
            "sequence": PageText.count(sequence), "isDelivery": true,
            "head": isDone ? "Delivered to \(destination)" : "Delivery to \(destination) failed",
            "tone": tone.rawValue,
            "reason": PageText.joined(
                [StatusLook.plain(attempt.outcome.reason), attempt.outcome.detail], by: ": "),
            "attempt": "attempt \(attempt.number) in \(milliseconds) ms",
            "body": attempt.outcome.answer, "time": PageText.time(attempt.began),
        ]
    }
}
