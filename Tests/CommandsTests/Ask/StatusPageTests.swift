import AdminAPI
import Testing

@testable import Commands

@Suite struct StatusPageTests {
    private static func page(_ metrics: String, earlier: String = "") -> StatusPage {
        StatusPage(
            place: "http://127.0.0.1:9090", readiness: "ready", earlier: MetricsReading(earlier),
            now: MetricsReading(metrics), seconds: 2, clock: 100_000)
    }

    /// The value of the line that begins with `name`.
    private static func value(_ name: String, of metrics: String) -> String? {
        let lines = page(metrics).text.split(separator: "\n")
        return lines.first { $0.hasPrefix("\(name) ") }
            .map { $0.dropFirst(name.count).drop { $0 == " " } }.map(String.init)
    }

    @Test func `the first line names version, address, readiness and uptime`() {
        let text = Self.page(
            """
            ipnd_build_info{version="1.2.3"} 1
            process_start_time_seconds 4960
            """
        ).text
        #expect(
            text.hasPrefix("ipnd 1.2.3 at http://127.0.0.1:9090: ready, up 1 d 2 h\n"), "\(text)")
    }

    @Test(arguments: [
        (99_955, "45 s"), (99_000, "16 min 40 s"), (90_000, "2 h 46 min"), (100_001, "0 s"),
    ])
    func `uptime is shown in its two greatest units`(start: Int, shown: String) {
        let text = Self.page("process_start_time_seconds \(start)").text
        #expect(text.split(separator: "\n")[0].hasSuffix(", up \(shown)"), "\(text)")
    }

    @Test func `a journal is shown with its size, a database by its records alone`() {
        let journal = """
            ipnd_sequence 1
            ipnd_journal_bytes 67108864
            ipnd_journal_segments 2
            ipnd_journal_available_bytes 1500
            """
        #expect(
            Self.value("record", of: journal)
                == "1 record in a journal of 2 segments, 67.1 MB, 1.5 KB free")
        #expect(Self.value("record", of: "ipnd_sequence 7") == "7 records in the database")
    }

    @Test func `the rate is the difference of two readings`() {
        let text = Self.page(
            """
            ipnd_notifications_total{endpoint="a",outcome="recorded"} 30
            ipnd_acknowledgement_seconds_sum 0.09
            ipnd_acknowledgement_seconds_count 30
            """, earlier: "ipnd_notifications_total{endpoint=\"a\",outcome=\"recorded\"} 27"
        ).text
        #expect(
            text.contains("rate           1.5 notifications a second, answered in 3.0 ms"),
            "\(text)")
    }

    @Test(arguments: [
        ("disk", "ipnd_disk_full 1", "full: notifications are refused"),
        ("database", "ipnd_database_up 0", "does not answer"),
        ("lists", "ipnd_index_available 0", "not available"),
        ("lists", "ipnd_index_lag_records 1", "1 record behind"),
        ("queue", "ipnd_queue_length 2", "2 notifications"),
        ("overdue", "ipnd_orders_overdue 3", "3 orders"),
        ("unknown paths", "ipnd_unknown_path_total{path=\"x\"} 1", "1 notification"),
        (
            "configuration", "ipnd_config_last_reload_successful 0",
            "the last reload was refused: see the log"
        ),
    ])
    func `a problem has a line that is absent otherwise`(
        name: String, metric: String, shown: String
    ) {
        #expect(Self.value(name, of: metric) == shown)
        #expect(Self.value(name, of: "ipnd_sequence 1") == nil)
    }

    @Test func `refusals are sorted by count, then by reason`() {
        let metrics = """
            ipnd_refusals_total{endpoint="a",reason="bad_signature"} 1
            ipnd_refusals_total{endpoint="b",reason="bad_signature"} 1
            ipnd_refusals_total{endpoint="a",reason="unknown_key"} 5
            ipnd_refusals_total{endpoint="a",reason="body_too_large"} 2
            ipnd_refusals_total{endpoint="a",reason="never"} 0
            """
        #expect(
            Self.value("refusals", of: metrics)
                == "unknown_key 5, bad_signature 2, body_too_large 2")
    }

    @Test(arguments: [
        ("served 0", "shop: served by another instance"),
        ("served 1", "shop: delivering, 4 events waiting"),
        ("served 1\npaused 1\nbreaker_open 1", "shop: paused, 4 events waiting"),
        (
            "served 1\nbreaker_open 1\ndead_letters 1",
            "shop: failing, 4 events waiting, 1 dead letter"
        ),
    ])
    func `a destination is shown with its state`(samples: String, shown: String) {
        let metrics = (samples + "\nlag_events 4").split(separator: "\n").map { sample in
            let parts = sample.split(separator: " ")
            return "ipnd_delivery_\(parts[0]){destination=\"shop\"} \(parts[1])"
        }
        #expect(
            Self.value("destination", of: metrics.joined(separator: "\n")) == shown)
    }

    @Test func `the table has the endpoints and outcomes that occurred`() {
        let text = Self.page(
            """
            ipnd_notifications_total{endpoint="a",outcome="recorded"} 3
            ipnd_notifications_total{endpoint="a",outcome="refused"} 1
            ipnd_notifications_total{endpoint="b",outcome="refused"} 12
            ipnd_notifications_total{endpoint="silent",outcome="recorded"} 0
            """
        ).text
        #expect(
            text.hasSuffix(
                """


                endpoint  recorded  refused
                a                3        1
                b                0       12
                """), "\(text)")
    }

    @Test(arguments: [
        (999.0, "999 bytes"), (1000, "1.0 KB"), (2.5e9, "2.5 GB"), (5e15, "5000.0 TB"),
    ])
    func `sizes have one decimal`(bytes: Double, shown: String) {
        #expect(StatusPage.size(bytes) == shown)
    }
}
