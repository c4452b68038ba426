import Foundation
import TestSupport
import Testing
import Yams

/// Tests each alert of `config/prometheus-alerts.yml` with promtool on synthetic series: silent in
/// normal operation, firing for its cause.
@Suite(.ownThreads) struct AlertFiringTests {
    /// The course of events, minute by minute (`0x5 1x9`: 0 for six minutes, then 1 for ten).
    struct Case {
        let alert: String
        /// Series with their values.
        let series: [String: String]
        /// Minutes from the start at which the alert is still silent, and at which it fires.
        let silent: Int, firing: Int
        /// The alert's labels, without its severity.
        var labels = ["instance": "a"]

        init(
            _ alert: String, _ series: [String: String], silent: Int, firing: Int,
            _ labels: [String: String] = [:]
        ) {
            self.alert = alert
            self.series = series
            (self.silent, self.firing) = (silent, firing)
            self.labels.merge(labels) { $1 }
        }
    }

    private static func counted(_ outcome: String) -> String {
        "ipnd_notifications_total{instance=\"a\",endpoint=\"antom\",outcome=\"\(outcome)\"}"
    }

    private static func bucket(_ family: String, _ bound: String, _ more: String = "") -> String {
        "\(family)_bucket{instance=\"a\",le=\"\(bound)\"\(more)}"
    }

    private static func delivery(_ name: String) -> String {
        "ipnd_delivery_\(name){instance=\"a\",destination=\"shop\"}"
    }

    private static func inquiry(_ name: String) -> String {
        "ipnd_inquiry_\(name){instance=\"a\",endpoint=\"antom\"}"
    }

    private static let antom = ["endpoint": "antom"], shop = ["destination": "shop"]

    private static let cases = [
        Case(
            "IpndDown", ["up{instance=\"a\",job=\"ipnd\"}": "1x3 0x20"], silent: 3, firing: 6,
            ["job": "ipnd"]),
        gauge("IpndDiskFull", "ipnd_disk_full", "0x3 1x20", silent: 3, firing: 4),
        gauge("IpndDatabaseAway", "ipnd_database_up", "1x3 0x20", silent: 3, firing: 6),
        Case("IpndCannotStore", [counted("unavailable"): "0x5 1x20"], silent: 5, firing: 7, antom),
        Case(
            "IpndMemoryFillsUp",
            [
                "process_resident_memory_bytes{instance=\"a\",job=\"ipnd\"}":
                    "1000000000x5 3000000000x30"
            ], silent: 5, firing: 25, ["job": "ipnd"]),
        gauge(
            "IpndDiskFillsUp", "ipnd_journal_available_bytes", "5000000000x60 1000000000x60",
            silent: 61, firing: 100),
        Case(
            "IpndSignaturesFail",
            [counted("refused"): "0x10 1+1x60", counted("recorded"): "0+1x80"], silent: 10,
            firing: 40, antom),
        Case(
            "IpndUnknownPath",
            ["ipnd_unknown_path_total{instance=\"a\",nearest=\"antom\"}": "0x5 1x20"], silent: 5,
            firing: 7, ["nearest": "antom"]),
        Case(
            "IpndCardData",
            [
                "ipnd_redactions_total{instance=\"a\",endpoint=\"antom\",what=\"card\"}":
                    "0x5 1x20"
            ], silent: 5, firing: 7, antom),
        Case("IpndConflict", [counted("conflict"): "0x5 1x20"], silent: 5, firing: 7, antom),
        Case(
            "IpndProviderSilent", [counted("recorded"): "0+1x2880 2880x3000"], silent: 3000,
            firing: 4400, antom),
        gauge("IpndOrdersOverdue", "ipnd_orders_overdue", "0x5 1x40", silent: 19, firing: 22),
        Case(
            "IpndSlowDisk",
            [
                bucket("ipnd_fdatasync_seconds", "0.25"): "0+1x60",
                bucket("ipnd_fdatasync_seconds", "1"): "0+2x60",
                bucket("ipnd_fdatasync_seconds", "+Inf"): "0+2x60",
            ], silent: 8, firing: 30),
        Case(
            "IpndSlowAcknowledgement",
            [
                bucket("ipnd_acknowledgement_seconds", "1", ",endpoint=\"antom\""): "0+1x60",
                bucket("ipnd_acknowledgement_seconds", "5", ",endpoint=\"antom\""): "0+2x60",
                bucket("ipnd_acknowledgement_seconds", "+Inf", ",endpoint=\"antom\""): "0+2x60",
            ], silent: 8, firing: 30, antom),
        gauge("IpndQueueGrows", "ipnd_queue_length", "10x5 6000x20", silent: 5, firing: 9),
        gauge("IpndIndexBehind", "ipnd_index_lag_records", "9x5 20000x40", silent: 14, firing: 20),
        gauge("IpndIndexAbsent", "ipnd_index_available", "1x5 0x40", silent: 14, firing: 20),
        gauge("IpndSnapshotsFail", "ipnd_snapshot_failures_total", "0x5 1x9", silent: 5, firing: 7),
        gauge(
            "IpndCertificateExpires", "ipnd_certificate_expiry_timestamp_seconds",
            "1300000x1700", silent: 1400, firing: 1600),
        gauge(
            "IpndReloadRefused", "ipnd_config_last_reload_successful", "1x5 0x40", silent: 9,
            firing: 14),
        Case(
            "IpndDestinationFails", [delivery("breaker_open"): "0x5 1x40"], silent: 14, firing: 20,
            shop),
        Case(
            "IpndDestinationPaused", [delivery("paused"): "0x5 1x90"], silent: 60, firing: 70,
            shop),
        Case("IpndDeadLetters", [delivery("dead_letters"): "0x5 2x9"], silent: 5, firing: 6, shop),
        // Not while the breaker is open or the destination is paused: those have separate alerts.
        Case(
            "IpndDeliveryBehind",
            [
                delivery("oldest_seconds"): "2000x120", delivery("breaker_open"): "1x59 0x60",
                delivery("paused"): "0x120",
            ], silent: 59, firing: 75, shop),
        Case("IpndDeliveryTrouble", [delivery("trouble"): "0x5 1x40"], silent: 9, firing: 14, shop),
        // In database mode one instance holds the lease and the others do not, which is normal.
        Case(
            "IpndDeliveryUnserved",
            [
                delivery("served"): "0x60",
                "ipnd_delivery_served{instance=\"b\",destination=\"shop\"}": "1x20 0x40",
            ], silent: 20, firing: 30, shop),
        Case(
            "IpndDeliveryMissed", [delivery("missed_records_total"): "0x5 3x9"], silent: 5,
            firing: 7, shop),
        Case(
            "IpndInquiryFails", [inquiry("breaker_open"): "0x5 1x40"], silent: 14, firing: 17, antom
        ),
        Case(
            "IpndInquiryRefused",
            [
                "ipnd_inquiries_total{instance=\"a\",endpoint=\"antom\",result=\"denied\"}":
                    "0x5 1x20"
            ],
            silent: 5, firing: 7, antom.merging(["result": "denied"]) { $1 }),
        Case(
            "IpndInquiryBehind",
            [inquiry("oldest_seconds"): "0x5 2000x40", inquiry("breaker_open"): "0x60"],
            silent: 14, firing: 17, antom),
        Case("IpndInquiryTrouble", [inquiry("trouble"): "0x5 1x20"], silent: 9, firing: 12, antom),
        Case("IpndInquiryUnserved", [inquiry("served"): "1x5 0x20"], silent: 9, firing: 12, antom),
        Case("IpndInquiryEnded", [inquiry("ended_total"): "0x5 1x20"], silent: 5, firing: 7, antom),
        Case(
            "IpndNotificationsLost", [inquiry("records_total"): "0x5 0+1x40"], silent: 10,
            firing: 30, antom),
    ]

    private static func gauge(
        _ alert: String, _ name: String, _ values: String, silent: Int, firing: Int
    ) -> Case {
        Case(alert, ["\(name){instance=\"a\"}": values], silent: silent, firing: firing)
    }

    private typealias Rule = [String: Any]

    /// The rules without their annotations, which promtool would compare too.
    private static func rules() throws -> [Rule] {
        let text = try SourceTree.text("config/prometheus-alerts.yml")
        let document = try #require(try Yams.load(yaml: text) as? [String: Any])
        let groups = try #require(document["groups"] as? [[String: Any]])
        return groups.flatMap { $0["rules"] as? [Rule] ?? [] }.map { rule in
            rule.filter { $0.key != "annotations" }
        }
    }

    @Test func `every alert has a case`() throws {
        let alerts = try Self.rules().compactMap { $0["alert"] as? String }
        #expect(alerts.sorted() == Self.cases.map(\.alert).sorted())
    }

    @Test(.enabled(if: MetricsTests.promtool() != nil, "promtool is not installed (prometheus)"))
    func `each alert fires for its cause and not before`() throws {
        let promtool = try #require(MetricsTests.promtool())
        let rules = try Self.rules()
        let folder = TemporaryFolder()
        let file: [String: Any] = ["groups": [["name": "ipnd", "rules": rules]]]
        _ = try folder.write("rules.yml", Self.json(file))
        let tests = try Self.cases.map { example -> [String: Any] in
            let rule = try #require(rules.first { $0["alert"] as? String == example.alert })
            var labels = try #require(rule["labels"] as? [String: String])
            // One alert covers all instances together.
            let isJoint = (rule["expr"] as? String)?.hasPrefix("max by (") == true
            labels.merge(example.labels.filter { !isJoint || $0.key != "instance" }) { $1 }
            return [
                "interval": "1m",
                "input_series": example.series.map { ["series": $0, "values": $1] },
                "alert_rule_test": [
                    Self.expectation(example.alert, example.silent, []),
                    Self.expectation(example.alert, example.firing, [["exp_labels": labels]]),
                ],
            ]
        }
        let all: [String: Any] = [
            "rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": tests,
        ]
        _ = try folder.write("tests.yml", Self.json(all))
        let result = try MetricsTests.run(promtool, ["test", "rules", folder.file("tests.yml")])
        #expect(result.status == 0, "\(result.output)")
    }

    private static func expectation(
        _ alert: String, _ minute: Int, _ alerts: [[String: Any]]
    ) -> [String: Any] {
        ["eval_time": "\(minute)m", "alertname": alert, "exp_alerts": alerts]
    }

    /// JSON is YAML.
    private static func json(_ value: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: value), as: UTF8.self)
    }
}
