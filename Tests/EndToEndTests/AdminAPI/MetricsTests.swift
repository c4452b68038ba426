import Foundation
import TestSupport
import Testing

/// `/metrics`, and the alerts, dashboard and pages that depend on it.
@Suite(.ownThreads) struct MetricsTests {
    /// Every metric name on the page, without the suffixes of histograms.
    private static func page(
        on storage: StorageKind
    ) throws -> (text: String, names: Set<String>) {
        let instance = try Instance(
            on: storage,
            edit: {
                guard storage == .journal else { return $0 }
                return $0.replacingOccurrences(
                    of: "provider: citcon-pay\n",
                    with: "provider: citcon-pay\n    inquiry: {url: \"http://127.0.0.1:9\"}\n"
                )
                .replacingOccurrences(
                    of: "provider: stripe\n",
                    with: "provider: stripe\n    inquiry: {url: \"http://127.0.0.1:9\", "
                        + "apiKey: {file: secrets/stripe}, backfill: {afterGapMinutes: 10}}\n")
                    + Instance.silentDestination
                    + "\ntelemetry: {url: \"http://127.0.0.1:9\"}\n"
            })
        let antom = try SandboxProvider("antom", of: instance)
        let delivery = try antom.delivery(reference: "M-1")
        try instance.deliver(delivery.request())
        try instance.deliver(delivery.request())
        let client = try instance.client()
        try client.send(delivery.replacing(header: "client-id", with: "X").request())
        #expect(try client.receive().status == 401)
        let admin = try instance.admin()
        _ = try admin.post(
            "/orders/antom/M-2",
            #"{"amount":{"minor":1,"currency":"MYR"},"expires":"2020-01-01T00:00:00Z"}"#)
        var text = ""
        _ = try eventually {
            text = try admin.get("/metrics").body
            let last = storage == .journal ? "ipnd_index_sequence 2" : "ipnd_sequence 2"
            // The number of overdue orders is read separately from the index's position.
            return text.contains("\n\(last)\n") && text.contains("\nipnd_orders_overdue 1\n")
        }
        let families = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        return (text, Set(families.map { String($0.split(separator: " ")[2]) }))
    }

    /// Metrics of only one of the stores.
    private static let ofStorage: [StorageKind: [String]] = [
        .journal: [
            "ipnd_fdatasync_seconds_count 2", "ipnd_index_lag_records 0", "ipnd_disk_full 0",
        ],
        .database: ["ipnd_database_up 1", "ipnd_database_failures_total 0"],
    ]

    @Test(arguments: StorageKind.all)
    func `the page counts what happened`(on storage: StorageKind) throws {
        let (text, _) = try Self.page(on: storage)
        for line in [
            #"ipnd_notifications_total{endpoint="antom",outcome="recorded"} 1"#,
            #"ipnd_notifications_total{endpoint="antom",outcome="duplicate"} 1"#,
            #"ipnd_notifications_total{endpoint="antom",outcome="refused"} 1"#,
            #"ipnd_refusals_total{endpoint="antom",reason="client_id_mismatch"} 1"#,
            #"ipnd_acknowledgement_seconds_count{endpoint="antom"} 3"#,
            "ipnd_batch_records_sum 2", "ipnd_sequence 2", "ipnd_orders_overdue 1",
            "ipnd_queue_length 0",
        ] + (Self.ofStorage[storage] ?? []) {
            #expect(text.contains("\n\(line)\n"), "\(line) is not in\n\(text)")
        }
        #expect(text.contains("\nipnd_journal_bytes ") == (storage == .journal))
        guard let promtool = Self.promtool() else { return }
        let checked = try Self.run(promtool, ["check", "metrics"], input: text)
        #expect(checked.status == 0, "\(checked.output)")
    }

    /// `config/metrics.md` lists exactly the metric families, each with its type and help text.
    @Test func `the page of metrics is what the server has`() throws {
        let written = Set(
            try SourceTree.text("config/metrics.md").split(separator: "\n").filter {
                $0.hasPrefix("| `")
            }.map(String.init))
        var told: Set<String> = []
        for storage in StorageKind.all {
            let lines = try Self.page(on: storage).text.split(separator: "\n").map(String.init)
            for (help, type) in zip(lines, lines.dropFirst()) where help.hasPrefix("# HELP ") {
                let words = help.split(separator: " ", maxSplits: 3).map(String.init)
                let kind = try #require(type.split(separator: " ").last)
                told.insert("| `\(words[2])` | \(kind) | \(words[3]) |")
            }
        }
        #expect(told.subtracting(written).sorted() == [], "not on the page")
        // Metrics of listeners with TLS, or of a database, which this instance does not have.
        let unseen = written.subtracting(told).filter { row in
            !row.contains("ipnd_certificate_") && StorageKind.all.count == 2
        }
        #expect(unseen.sorted() == [], "documented but not exposed")
    }

    @Test func `the process the version and the reload are told`() throws {
        let before = Date().timeIntervalSince1970
        let instance = try Instance()
        let admin = try instance.admin()
        let text = try admin.get("/metrics").body
        let version = try TestSupport.run(Binary.ipnd, ["--version"]).output.trimmingCharacters(
            in: .newlines)
        #expect(text.contains("\nipnd_build_info{version=\"\(version)\"} 1\n"))
        #expect(text.contains("\nipnd_config_last_reload_successful 1\n"))
        func value(_ name: String, in text: String) -> Double? {
            text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
                .flatMap { Double($0.dropFirst(name.count + 1)) }
        }
        let pid = instance.process.processIdentifier
        func count(_ folder: String) throws -> Double {
            Double(
                try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/\(folder)").count)
        }
        // The runtime's threads and open files vary: wait until both are stable.
        #expect(
            try eventually {
                let page = try admin.get("/metrics").body
                // Readable only by root, because the process is not dumpable.
                let open = try? count("fd")
                return try value("process_threads", in: page) == count("task")
                    && (open == nil || value("process_open_fds", in: page) == open)
            })
        let started = value("process_start_time_seconds", in: text) ?? 0
        // The kernel counts from a start that it rounds to seconds.
        let now = Date().timeIntervalSince1970
        #expect(before - 2 <= started && started <= now + 2, "\(started)")
        let resident = value("process_resident_memory_bytes", in: text) ?? 0
        #expect((1e6...1e9).contains(resident), "\(resident)")
        try "listeners: [".write(
            toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        kill(pid, SIGHUP)
        #expect(
            try eventually {
                try admin.get("/metrics").body.contains("\nipnd_config_last_reload_successful 0\n")
            })
    }

    /// Returns the texts of the alerts, the dashboard and the pages about them.
    private static let askers = [
        "config/prometheus-alerts.yml", "config/grafana-dashboard.json", "config/README.md",
        "config/api.md", "config/providers.md",
    ]

    @Test func `alerts dashboard and pages ask for what the page has`() throws {
        var known: Set = ["ipnd_certificate_expiry_timestamp_seconds"]
        for storage in StorageKind.all { known.formUnion(try Self.page(on: storage).names) }
        // Without PostgreSQL the database's metrics cannot be looked up.
        let isWhole = StorageKind.all.count == 2
        for file in Self.askers {
            let text = try SourceTree.text(file)
            let pattern = try Regex(#"ipnd_[a-z_]+"#)
            let asked = Set(text.matches(of: pattern).map { String(text[$0.range]) })
            #expect(!asked.isEmpty)
            for name in asked {
                let family = ["_bucket", "_sum", "_count"].reduce(name) { name, suffix in
                    name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
                }
                let isOther = !isWhole && name.hasPrefix("ipnd_database_")
                #expect(
                    isOther || known.contains(name) || known.contains(family), "\(file): \(name)")
            }
        }
    }

    @Test func `promtool accepts the alerts and every query of the dashboard`() throws {
        guard let promtool = Self.promtool() else { return }
        let alerts = try Self.run(
            promtool, ["check", "rules", "\(SourceTree.root.path)/config/prometheus-alerts.yml"])
        #expect(alerts.status == 0, "\(alerts.output)")
        let data = Data(try SourceTree.text("config/grafana-dashboard.json").utf8)
        let dashboard = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        var rules: [[String: Any]] = []
        for target in panels.flatMap({ $0["targets"] as? [[String: Any]] ?? [] }) {
            let query = try #require(target["expr"] as? String)
            let plain = query.replacingOccurrences(of: "$__rate_interval", with: "5m")
            rules.append(["record": "panel:\(rules.count)", "expr": plain])
        }
        #expect(rules.count >= panels.count)
        // JSON is YAML.
        let file = try JSONSerialization.data(
            withJSONObject: ["groups": [["name": "panels", "rules": rules]]],
            options: .withoutEscapingSlashes)
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        try file.write(to: URL(fileURLWithPath: "\(folder)/panels.yml"))
        let checked = try Self.run(promtool, ["check", "rules", "\(folder)/panels.yml"])
        #expect(checked.status == 0, "\(checked.output)")
    }

    static func promtool() -> String? {
        let path = installedProgram("promtool")
        if path == nil { print("SKIPPED: promtool is not installed (Debian: prometheus)") }
        return path
    }

    static func run(
        _ program: String, _ arguments: [String], input: String = ""
    ) throws -> (status: Int32, output: String) {
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        let file = "\(folder)/input"
        try input.write(toFile: file, atomically: true, encoding: .utf8)
        let child = try Child(
            program, arguments, input: .file(file), output: .pipe, errors: .output)
        let text = String(
            decoding: child.output?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
        return (child.waitUntilExit(), text)
    }
}
