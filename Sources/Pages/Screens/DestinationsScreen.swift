import AdminAPI
import HTTP

/// The merchant's systems, their undelivered events, and acts on both.
struct DestinationsScreen {
    private static let rowsMax = 50
    private static let filters = ["destination", "state", "reference", "sequence"]

    func page(_ visit: PageVisit) async throws(Problem) -> Response {
        let query = visit.query
        let filter = query.only(Self.filters)
        let destinations = await visit.api.destinations()
        let list = try await visit.api.deliveries(
            query.only(Self.filters + ["cursor"]) + [("limit", "\(Self.rowsMax)")])
        let rows = list.deliveries.map { row($0, visit) }
        var values: PageValues = [
            "destinations": destinations.map { card($0, visit) },
            "hasNone": destinations.isEmpty, "rows": rows, "isEmpty": rows.isEmpty,
            "names": destinations.map {
                ["value": $0.name, "isChosen": $0.name == query["destination"]] as PageValues
            },
            "isDead": query["state"] == "dead", "isWaiting": query["state"] == "waiting",
            "reference": query["reference"] ?? "", "undelivered": Self.undelivered(destinations),
            // The filter, for the form that acts on it.
            "hidden": filter.map { ["name": $0.name, "value": $0.value] as PageValues },
        ]
        if let next = list.next {
            values["next"] = query.query(changing: [("cursor", next), ("notice", nil)])
        }
        if query["preview"] != nil, visit.role.mayAct {
            let count = try await visit.api.retryDeliveries(filter, isDry: true).matched
            values["preview"] =
                [
                    "count": PageText.count(count), "isOne": count == 1, "isNone": count == 0,
                    "back": query.query(changing: [("preview", nil)]),
                ] as PageValues
        }
        return visit.page("destinations", .destinations, values)
    }

    func act(
        _ action: String, on name: String, _ visit: PageVisit
    ) async throws(Problem) -> Response {
        let notice: PageNotice
        switch action {
        case "pause":
            try await visit.api.pause(name)
            notice = .paused
        case "resume":
            try await visit.api.resume(name)
            notice = .resumed
        default:
            notice = try await visit.api.test(name)?.delivered == true ? .tested : .testFailed
        }
        return PageResponse.redirect(
            to: "\(visit.base)destinations?notice=\(notice.rawValue)")
    }

    func retry(_ visit: PageVisit) async throws(Problem) -> Response {
        let fields = FormFields(body: visit.request)
        let answer = try await visit.api.retryDeliveries(fields.only(Self.filters))
        let notice: PageNotice = answer.changed > 0 ? .retried : .nothingToRetry
        let back = fields.query(changing: [("notice", notice.rawValue)])
        return PageResponse.redirect(to: "\(visit.base)destinations?\(back)")
    }

    /// Number of waiting events, which include those without an attempt that the list does not
    /// show; empty where there are none.
    private static func undelivered(_ destinations: [DestinationAnswer]) -> String {
        let count = destinations.reduce(0) { $0 + $1.waiting }
        return count == 0 ? "" : PageText.count(count)
    }

    /// “3 of 120 attempts failed (2.5 %)”
    private static func rate(_ rate: AttemptRateAnswer) -> String {
        guard rate.attempts > 0 else { return "no attempts" }
        let share = PageText.decimal(100 * Double(rate.failed) / Double(rate.attempts))
        return "\(PageText.count(rate.failed)) of \(PageText.count(rate.attempts)) attempts "
            + "failed (\(share) %)"
    }

    private static func reason(_ outcome: DeliveryOutcomeAnswer) -> String {
        PageText.joined(
            [outcome.status.map { "\($0)" }, StatusLook.plain(outcome.reason), outcome.detail],
            by: ", ")
    }

    private func card(_ destination: DestinationAnswer, _ visit: PageVisit) -> PageValues {
        let name = destination.name
        let look: StatusLook =
            destination.paused != nil
            ? StatusLook("Paused", "‖", .warn)
            : destination.breaker != "closed" || destination.failing
                ? StatusLook("Failing", "✕", .bad)
                : destination.heldUntil != nil
                    ? StatusLook("Asked to wait", "◷", .warn)
                    : StatusLook("Delivering", "✓", .good)
        let oldest = destination.oldestSeconds
        let target = "\(visit.base)destinations/\(FormFields.encoded(name))"
        var values: PageValues = [
            "id": "t\(name)", "name": name, "status": look.values,
            "servedBy": destination.served ? "" : destination.servedBy ?? "no instance",
            "isPaused": destination.paused != nil, "breaker": destination.breaker,
            "lag": PageText.count(destination.lag),
            "waiting": PageText.count(destination.waiting),
            "dead": PageText.count(destination.dead), "hasDead": destination.dead > 0,
            "deadQuery": FormFields.query([("destination", name), ("state", "dead")]),
            "inFlight": "\(destination.inFlight) of \(destination.concurrency)",
            "oldest": oldest > 0 ? PageText.span(seconds: oldest) : "–",
            "trouble": destination.trouble ?? "", "url": destination.url ?? "",
            "hour": Self.rate(destination.lastHour),
            "pausePath": "\(target)/pause", "resumePath": "\(target)/resume",
            "testPath": "\(target)/test",
        ]
        if let failure = destination.lastFailure {
            values["failure"] =
                [
                    "time": PageText.time(failure.at), "reason": Self.reason(failure.outcome),
                    "answer": failure.outcome.answer,
                ] as PageValues
        }
        if let end = destination.heldUntil {
            values["held"] = ["time": PageText.time(end)] as PageValues
        }
        return values
    }

    private func row(_ delivery: DeliveryAnswer, _ visit: PageVisit) -> PageValues {
        let last = delivery.last?.outcome
        var row: PageValues = [
            "id": "e\(delivery.destination)-\(delivery.sequence)",
            "destination": delivery.destination,
            "sequence": PageText.count(delivery.sequence),
            "name": delivery.reference, "attempts": PageText.count(delivery.attempts),
            "status": delivery.state == "dead"
                ? StatusLook("Dead letter", "✕", .bad).values
                : StatusLook("Waiting", "◷", .wait).values,
            "order": StatusLook(order: delivery.status).values,
            "reason": last.map(Self.reason) ?? "",
            "state": delivery.state, "sequenceNumber": "\(delivery.sequence)",
        ]
        row["path"] = visit.path(endpoint: delivery.endpoint, reference: delivery.reference)
        row["due"] = delivery.due.map(PageText.time)
        return row
    }
}
