import AdminAPI
import Console
import Platform
import Receiver

/// The output of `ipnd status`: a server on one screen, from two readings of its metrics.
struct StatusPage {
    let place: String
    /// The first line of `/readyz`.
    let readiness: String
    let earlier: MetricsReading
    let now: MetricsReading
    /// Seconds between the two readings.
    let seconds: Double
    /// The time of this machine, in seconds since 1970.
    let clock: Int
    var terminal = Terminal.none

    private static let notifications = "ipnd_notifications_total"

    var text: String {
        var lines = [headline, ""]
        lines += facts.lines(nameWidth: 15, on: terminal)
        if let table { lines += [""] + table }
        return lines.joined(separator: "\n")
    }

    private var headline: String {
        let version = now.values(of: "version", in: "ipnd_build_info").first ?? ""
        let up = now["process_start_time_seconds"].map {
            ", up \(Self.span(max(0, clock - Int($0))))"
        }
        return "ipnd \(version) at \(place): \(readiness)\(up ?? "")"
    }

    /// The facts in order of importance. Problems that do not exist are left out.
    private var facts: NamedValues {
        var all = NamedValues()
        all.line("record", record)
        all.line("rate", rate)
        if now["ipnd_disk_full"] == 1 { all.line("disk", "full: notifications are refused") }
        if now["ipnd_database_up"] == 0 { all.line("database", "does not answer") }
        if now["ipnd_index_available"] == 0 {
            all.line("lists", "not available")
        } else if let lag = now["ipnd_index_lag_records"], lag > 0 {
            all.line("lists", "\(counted(Int(lag), "record")) behind")
        }
        if let queue = now["ipnd_queue_length"], queue > 0 {
            all.line("queue", counted(Int(queue), "notification"))
        }
        all.line("connections", "\(Int(now["ipnd_connections"] ?? 0))")
        if let overdue = now["ipnd_orders_overdue"], overdue > 0 {
            all.line("overdue", counted(Int(overdue), "order"))
        }
        if !refusals.isEmpty { all.line("refusals", refusals) }
        let unknown = Int(now.sum("ipnd_unknown_path_total"))
        if unknown > 0 { all.line("unknown paths", counted(unknown, "notification")) }
        for destination in now.values(of: "destination", in: "ipnd_delivery_served") {
            all.line("destination", state(of: destination))
        }
        if now["ipnd_config_last_reload_successful"] == 0 {
            all.line("configuration", "the last reload was refused: see the log")
        }
        return all
    }

    private var record: String {
        let sequence = counted(Int(now["ipnd_sequence"] ?? 0), "record")
        guard let bytes = now["ipnd_journal_bytes"] else { return "\(sequence) in the database" }
        let free = now["ipnd_journal_available_bytes"].map { ", \(Self.size($0)) free" } ?? ""
        let segments = counted(Int(now["ipnd_journal_segments"] ?? 0), "segment")
        return "\(sequence) in a journal of \(segments), \(Self.size(bytes))\(free)"
    }

    private var rate: String {
        let count = now.sum(Self.notifications) - earlier.sum(Self.notifications)
        let current = Self.decimal(count / max(seconds, 0.001))
        let total = now.sum("ipnd_acknowledgement_seconds_count")
        guard total > 0 else { return "\(current) notifications a second" }
        let mean = Self.decimal(1000 * now.sum("ipnd_acknowledgement_seconds_sum") / total)
        return "\(current) notifications a second, answered in \(mean) ms on average"
    }

    private var refusals: String {
        let name = "ipnd_refusals_total"
        let reasons = now.values(of: "reason", in: name).map { reason in
            (reason, Int(now.sum(name, where: ["reason": reason])))
        }
        return reasons.filter { $0.1 > 0 }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
            .map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    private func state(of destination: String) -> String {
        let value = { (name: String) in
            now.sum("ipnd_delivery_\(name)", where: ["destination": destination])
        }
        guard value("served") == 1 else { return "\(destination): served by another instance" }
        let state =
            value("paused") == 1
            ? "paused" : value("breaker_open") == 1 ? "failing" : "delivering"
        let dead = Int(value("dead_letters"))
        let shown = terminal.colored(state, as: state)
        return "\(destination): \(shown), \(counted(Int(value("lag_events")), "event")) waiting"
            + (dead > 0 ? ", \(counted(dead, "dead letter"))" : "")
    }

    /// The endpoints and outcomes that occurred; nil if none did.
    private var table: [String]? {
        let outcomes = Outcome.allCases.map(\.rawValue).filter { outcome in
            now.sum(Self.notifications, where: ["outcome": outcome]) > 0
        }
        guard !outcomes.isEmpty else { return nil }
        var table = TextTable([("endpoint", .left)] + outcomes.map { ($0, .right) })
        for endpoint in now.values(of: "endpoint", in: Self.notifications) {
            guard now.sum(Self.notifications, where: ["endpoint": endpoint]) > 0 else { continue }
            table.add(
                [endpoint]
                    + outcomes.map { outcome in
                        let labels = ["endpoint": endpoint, "outcome": outcome]
                        return "\(Int(now.sum(Self.notifications, where: labels)))"
                    })
        }
        return table.lines(on: terminal)
    }

    // MARK: Units

    private static func decimal(_ value: Double) -> String {
        "\(Double(Int((10 * value).rounded())) / 10)"
    }

    static func size(_ bytes: Double) -> String {
        let units = ["bytes", "KB", "MB", "GB", "TB"]
        var value = bytes
        var unit = 0
        while value >= 1000, unit + 1 < units.count {
            value /= 1000
            unit += 1
        }
        return unit == 0 ? "\(Int(value)) bytes" : "\(decimal(value)) \(units[unit])"
    }

    /// A duration in its two greatest units.
    private static func span(_ seconds: Int) -> String {
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60)
        if days > 0 { return "\(days) d \(hours) h" }
        if hours > 0 { return "\(hours) h \(minutes) min" }
        if minutes > 0 { return "\(minutes) min \(seconds % 60) s" }
        return "\(seconds) s"
    }
}
