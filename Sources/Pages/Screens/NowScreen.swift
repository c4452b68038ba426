import AdminAPI
import HTTP
import Payments
import Store

/// The state of the server on one screen: the figures of `ipnd status`, and the latest orders.
struct NowScreen {
    let rates: RateMeter
    let paid: PaidFigures
    let history: FigureHistory?
    /// Hours since 1970.
    let hour: Int

    /// The statuses of orders that need a person's attention.
    static let attention = "review,disputed,charged_back"

    private static let ordersShown = 8

    func page(_ visit: PageVisit) async throws(Problem) -> Response {
        let metrics = await visit.api.metrics()
        history?.add(metrics)
        let figures = NowFigures(metrics, perSecond: rates.perSecond)
        let hindrance = visit.api.hindrance
        var values = figures.values
        values["isReady"] = hindrance == nil
        values["isFresh"] = figures.isFresh
        values["readiness"] = "not ready: \(hindrance ?? "")"
        // The lists may be unavailable while the rest works. Then the page says so.
        let limit = ("limit", "\(Self.ordersShown)")
        let latest = try? await visit.api.orders([limit])
        let attention = try? await visit.api.orders([limit, ("status", Self.attention)])
        values["latest"] = ["rows": Self.rows(latest, visit)] as PageValues
        let rows = Self.rows(attention, visit)
        values["attention"] = ["rows": rows, "any": !rows.isEmpty] as PageValues
        values["listsMissing"] = latest == nil
        let since = Int64(hour - DayFigures.hours + 1) * PaidHours.hourMicroseconds
        let paid = try? await paid.hours(since: Timestamp(microseconds: since))
        values["day"] = DayFigures(history: history, now: hour).values(paid)
        return visit.page("now", .now, values)
    }

    private static func rows(_ list: OrderListAnswer?, _ visit: PageVisit) -> [PageValues] {
        list?.orders.map { OrderListRow.row($0, visit) } ?? []
    }
}

/// The figures of `/metrics`, for people.
struct NowFigures {
    private let metrics: MetricsReading
    private let perSecond: [Double]

    init(_ metrics: MetricsReading, perSecond: [Double]) {
        self.metrics = metrics
        self.perSecond = perSecond
    }

    var values: PageValues {
        [
            "tiles": tiles, "line": RateLine.points(perSecond), "hasLine": perSecond.count > 1,
            "peak": PageText.decimal(perSecond.max() ?? 0), "facts": facts,
            "refusals": refusals, "hasRefusals": !refusals.isEmpty,
            "endpoints": endpoints, "hasEndpoints": !endpoints.isEmpty,
            "version": metrics.values(of: "version", in: "ipnd_build_info").first ?? "",
        ]
    }

    /// Whether nothing was ever recorded.
    var isFresh: Bool { metrics["ipnd_sequence"] == 0 }

    private var tiles: [PageValues] {
        let recent = perSecond.suffix(5)
        let rate = recent.isEmpty ? 0 : recent.reduce(0, +) / Double(recent.count)
        let oldest = metrics.all("ipnd_delivery_oldest_seconds").map(\.value).max()
        let overdue = Int(metrics["ipnd_orders_overdue"] ?? 0)
        let dead = Int(metrics.sum("ipnd_delivery_dead_letters"))
        var tiles: [PageValues] = [
            [
                "id": "rate", "name": "Records per second", "value": PageText.decimal(rate),
                "note": meanAnswer,
            ],
            [
                "id": "records", "name": "Records",
                "value": PageText.count(Int(metrics["ipnd_sequence"] ?? 0)), "note": "",
            ],
            [
                "id": "overdue", "name": "Overdue orders", "value": PageText.count(overdue),
                "note": overdue > 0 ? "no final status in time" : "none",
                "path": "orders?flag=overdue", "isWarning": overdue > 0,
            ],
        ]
        if let oldest {
            tiles.append([
                "id": "oldest", "name": "Oldest undelivered",
                "value": oldest > 0 ? PageText.span(seconds: Int(oldest)) : "–",
                "note": dead > 0 ? "\(PageText.count(dead)) dead letters" : "no dead letters",
                "path": "destinations", "isWarning": dead > 0,
            ])
        }
        return tiles
    }

    private var meanAnswer: String {
        let total = metrics.sum("ipnd_acknowledgement_seconds_count")
        guard total > 0 else { return "" }
        let mean = 1000 * metrics.sum("ipnd_acknowledgement_seconds_sum") / total
        return "answered in \(PageText.decimal(mean)) ms on average"
    }

    /// The state of each part of the server. A part that is not used is left out.
    private var facts: [PageValues] {
        var facts: [(String, String, StatusLook.Tone)] = []
        if let bytes = metrics["ipnd_journal_bytes"] {
            let free = metrics["ipnd_journal_available_bytes"].map {
                ", \(PageText.size($0)) free"
            }
            let isFull = metrics["ipnd_disk_full"] == 1
            facts.append(
                (
                    "Journal",
                    isFull ? "the disk is full" : PageText.size(bytes) + (free ?? ""),
                    isFull ? .bad : .good
                ))
        }
        if let up = metrics["ipnd_database_up"] {
            facts.append(
                ("Database", up == 1 ? "connected" : "does not answer", up == 1 ? .good : .bad))
        }
        if metrics["ipnd_index_available"] == 0 {
            facts.append(("Lists", "being rebuilt", .warn))
        } else if let lag = metrics["ipnd_index_lag_records"] {
            let text = lag > 0 ? "\(PageText.count(Int(lag))) records behind" : "up to date"
            facts.append(("Lists", text, lag > 1000 ? .warn : .good))
        }
        if let queue = metrics["ipnd_queue_length"] {
            facts.append(("Queue", PageText.count(Int(queue)), .quiet))
        }
        facts.append(
            ("Connections", PageText.count(Int(metrics["ipnd_connections"] ?? 0)), .quiet))
        let unknown = Int(metrics.sum("ipnd_unknown_path_total"))
        if unknown > 0 { facts.append(("Unknown paths", PageText.count(unknown), .warn)) }
        if metrics["ipnd_config_last_reload_successful"] == 0 {
            facts.append(("Configuration", "the last reload was refused: see the log", .warn))
        }
        return facts.map { ["name": $0.0, "value": $0.1, "tone": $0.2.rawValue] }
    }

    private var refusals: [PageValues] {
        let name = "ipnd_refusals_total"
        let counts = metrics.values(of: "reason", in: name).map { reason in
            (reason, Int(metrics.sum(name, where: ["reason": reason])))
        }
        return counts.filter { $0.1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }.map {
            [
                "reason": StatusLook.plain($0.0), "count": PageText.count($0.1),
                "query": FormFields.query([("reason", $0.0)]),
            ]
        }
    }

    private var endpoints: [PageValues] {
        let name = "ipnd_notifications_total"
        return metrics.values(of: "endpoint", in: name).map { endpoint in
            func count(_ outcome: String) -> Int {
                Int(metrics.sum(name, where: ["endpoint": endpoint, "outcome": outcome]))
            }
            return [
                "endpoint": endpoint, "recorded": PageText.count(count("recorded")),
                "duplicates": PageText.count(count("duplicate")),
                "conflicts": PageText.count(count("conflict")),
                "refused": PageText.count(count("refused")),
            ]
        }
    }
}
