import Foundation
import Providers
import TestSupport
import Testing

/// Output on a terminal, for people; the output for programs is unchanged.
@Suite(.ownThreads) struct TerminalTests {
    private static let escape = "\u{1B}["
    private static let long = "A-REFERENCE-OF-SIXTY-FOUR-CHARACTERS-WHICH-NO-NARROW-SCREEN-HAS-"

    private static func plain(_ text: String) -> String {
        text.replacing(#/\u{1B}\[[0-9]*[mK]/#, with: "")
    }

    private static func lines(_ text: String) -> [String] {
        // A progress bar is redrawn in place and removed.
        plain(text).split(separator: "\n").map { String($0.split(separator: "\r").last ?? "") }
    }

    /// Creates an instance with a paid, a refunded and a doubtful order, and a rejected request.
    private static func busyInstance() throws -> Instance {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        for (type, reference, minor) in [
            (.paid, "PAID", 4200), (.paid, long, 123_456_789), (.paid, "TWO", 4200),
            (.paid, "TWO", 4100), (.refunded, "EARLY", 100),
        ] as [(EventType, String, Int64)] {
            try instance.deliver(
                antom.delivery(type, reference: reference, minor: minor).request())
        }
        let client = try instance.client()
        try client.send(
            antom.delivery(reference: "BAD").replacing(body: Array("{}".utf8)).request())
        #expect(try client.receive().status == 401)
        let admin = try instance.admin()
        #expect(
            try eventually { try admin.get("/metrics").body.contains("\nipnd_index_sequence 5\n") })
        return instance
    }

    /// The options with which a command finds the instance.
    private static func place(of instance: Instance, for command: String = "") -> [String] {
        let file = ["--config", instance.configurationFile]
        if command == "rejections" { return file }
        let port = command == "send" ? instance.port : instance.adminPort
        return file + ["--url", "http://127.0.0.1:\(port)"]
    }

    private static let commands = [
        ["orders"], ["orders", "TWO"], ["events"], ["rejections"], ["status"],
        ["send", "--endpoint", "antom", "--scenario", "refund"],
    ]

    /// A terminal interprets U+009B as ESC `[`, and JSON may contain it.
    @Test func `JSON steers no terminal and reaches a program as it is`() throws {
        let instance = try Instance()
        let admin = try instance.admin()
        let body =
            "{\"amount\":{\"minor\":100,\"currency\":\"MYR\"},"
            + "\"metadata\":{\"n\":\"a\u{9B}31m\"}}"
        #expect(try admin.post("/orders/antom/STEERED", body).status == 201)
        let command =
            ["orders", "STEERED", "--endpoint", "antom", "--json"] + Self.place(of: instance)
        let piped = try run(Binary.ipnd, command)
        #expect(piped.output.contains("a\u{9B}31m"), "\(piped.output) \(piped.errors)")
        let shown = try PseudoTerminal.run(command, columns: 80)
        #expect(shown.contains(#"a\u009b31m"#), "\(shown)")
        #expect(!shown.unicodeScalars.contains("\u{9B}"))
    }

    @Test func `no table is wider than the terminal and only there is it coloured`() throws {
        let instance = try Self.busyInstance()
        for command in Self.commands {
            let file = Self.place(of: instance, for: command[0])
            let narrow = try PseudoTerminal.run(command + file, columns: 80)
            #expect(narrow.contains(Self.escape + "1m"), "\(narrow)")
            // The view of one order has sentences that the terminal wraps.
            for line in Self.lines(narrow) where command != ["orders", "TWO"] {
                #expect(line.count <= 80, "\(command): \(line)")
            }
            let piped = try run(Binary.ipnd, command + file)
            #expect(!piped.output.contains("\u{1B}") && !piped.output.contains("…"))
        }
    }

    /// Sentences are wrapped between words, so nothing is lost on a narrow screen.
    @Test func `check and explain are wrapped`() throws {
        let instance = try Self.busyInstance()
        for command in [["check"], ["explain"]] {
            let words = command + ["--config", instance.configurationFile]
            let narrow = try PseudoTerminal.run(words, columns: 70)
            let piped = try run(Binary.ipnd, words)
            #expect(narrow.contains(Self.escape + "1m"), "\(narrow)")
            for line in Self.lines(narrow) {
                // A path or a fingerprint cannot be wrapped.
                let isOneWord = line.split(separator: " ").contains { $0.count > 40 }
                #expect(line.count <= 70 || isOneWord, "\(line)")
            }
            #expect(!(piped.output + piped.errors).contains("\u{1B}"))
            // Only times and the free space differ.
            func joined(_ text: String) -> [Substring] {
                Self.plain(text).split { $0 == " " || $0 == "\n" }
                    .filter { !$0.contains(":") && Int($0) == nil }
            }
            #expect(
                joined(narrow).sorted() == joined(piped.output + piped.errors).sorted(),
                "\(narrow)")
            let coloured = try PseudoTerminal.run(
                words, columns: 70, environment: ["NO_COLOR": "1"])
            #expect(!coloured.contains(Self.escape))
        }
        try Data("listen: 1\nendpoints: 2\n".utf8).write(
            to: URL(filePath: "\(instance.folder)/wrong.yaml"))
        let wrong = try PseudoTerminal.run(
            ["check", "--config", "\(instance.folder)/wrong.yaml"], columns: 200)
        #expect(
            wrong.contains("\(Self.escape)1m\(instance.folder)/wrong.yaml:1:1\(Self.escape)0m: "),
            "\(wrong)")
    }

    @Test func `reconcile and simulate show tables`() throws {
        let instance = try Self.busyInstance()
        let file = "\(instance.folder)/settlement.csv"
        try Data("order,amount,currency\nPAID,41.00,MYR\nNOWHERE,1.00,MYR\n".utf8)
            .write(to: URL(filePath: file))
        let command =
            [
                "reconcile", "--endpoint", "antom", "--file", file, "--reference-column", "order",
                "--amount-column", "amount", "--currency-column", "currency",
            ] + Self.place(of: instance)
        let shown = try PseudoTerminal.run(command, columns: 80)
        #expect(shown.contains("\(Self.escape)1mreference\(Self.escape)0m"), "\(shown)")
        #expect(shown.contains("\(Self.escape)31mmissing_here\(Self.escape)0m"), "\(shown)")
        for line in Self.lines(shown) { #expect(line.count <= 80, "\(line)") }
        #expect(try !run(Binary.ipnd, command).output.contains("\u{1B}"))
        let played = try PseudoTerminal.watch(
            [
                "simulate", "--config", instance.configurationFile, "--listen", "127.0.0.1:0",
                "--endpoint", "opp", "--count", "1", "--rate", "1000", "--speed", "100000",
                "--url", "http://127.0.0.1:\(instance.port)",
            ], columns: 80
        ) { $0.contains("not expected") && $0.contains("\n") }
        #expect(played.contains("\(Self.escape)1mcount\(Self.escape)0m"), "\(played)")
        #expect(Self.lines(played).contains { $0.contains(#/^ +1  begun$/#) }, "\(played)")
    }

    @Test func `orders are short on a narrow screen and whole on a wide one`() throws {
        let instance = try Self.busyInstance()
        let command = ["orders"] + Self.place(of: instance)
        let narrow = Self.lines(try PseudoTerminal.run(command, columns: 80))
        let wide = try PseudoTerminal.run(command, columns: 200)
        let piped = try run(Binary.ipnd, command).lines
        #expect(narrow.contains { $0.hasPrefix("A-REF") && $0.contains("…") })
        // A number is never truncated.
        #expect(narrow.contains { $0.contains("1234567.89 MYR") })
        #expect(wide.contains(Self.long) && !wide.contains("…"))
        // None of the paid orders was refunded: the column is left out for people and kept for
        // programs.
        #expect(narrow[0].contains("refunded") && narrow[0].contains("flags"))
        let paid = Self.lines(try PseudoTerminal.run(command + ["--status", "paid"], columns: 80))
        #expect(!paid[0].contains("refunded") && !paid[0].contains("flags"), "\(paid[0])")
        #expect(piped[0].contains("refunded"))
        // 2026-11-21T07:00:00.123456Z in a pipe, 07:00:00 here.
        #expect(piped[1].contains(#/\d{4}-\d\d-\d\dT[0-9:.]+Z/#))
        #expect(narrow[1].contains(#/ \d\d:\d\d:\d\d$/#), "\(narrow[1])")
        #expect(wide.contains("\(Self.escape)32mpaid\(Self.escape)0m"))
        #expect(wide.contains("\(Self.escape)31mreview\(Self.escape)0m"))
        #expect(wide.contains("\(Self.escape)1mreference\(Self.escape)0m"))
    }

    @Test func `times are the local ones`() throws {
        let instance = try Self.busyInstance()
        let command = ["orders", "--limit", "1"] + Self.place(of: instance)
        let hours = try ["UTC", "<+03>-3"].map { zone in
            let text = try PseudoTerminal.run(command, columns: 120, environment: ["TZ": zone])
            let line = try #require(Self.lines(text).last)
            // Near midnight one of them has another date.
            let match = try #require(line.firstMatch(of: #/(\d\d):(\d\d)(:\d\d)?$/#), "\(line)")
            return try #require(Int(match.1))
        }
        #expect((hours[0] + 3) % 24 == hours[1])
    }

    @Test func `colour is a choice`() throws {
        let instance = try Self.busyInstance()
        let command = ["orders"] + Self.place(of: instance)
        func isColoured(_ more: [String], _ environment: [String: String] = [:]) throws -> Bool {
            try PseudoTerminal.run(command + more, columns: 80, environment: environment)
                .contains(Self.escape)
        }
        #expect(try isColoured([]))
        #expect(try isColoured([], ["NO_COLOR": ""]))
        #expect(try !isColoured([], ["NO_COLOR": "1"]))
        #expect(try !isColoured([], ["TERM": "dumb"]))
        #expect(try !isColoured(["--color", "never"]))
        #expect(try isColoured(["--color", "always"], ["NO_COLOR": "1"]))
        let piped = try run(Binary.ipnd, command + ["--color", "always"])
        #expect(piped.output.contains(Self.escape))
    }

    @Test func `rows that follow stand below the first`() throws {
        let instance = try Self.busyInstance()
        let antom = try SandboxProvider("antom", of: instance)
        var wasSent = false
        let text = try PseudoTerminal.watch(
            ["orders", "--watch"] + Self.place(of: instance), columns: 100
        ) { text in
            if text.contains("PAID"), !wasSent {
                wasSent = true
                _ = try? instance.deliver(
                    antom.delivery(.paid, reference: "LATER", minor: 1).request())
            }
            // A row ends only when the next one begins.
            return text.contains(#/LATER.*(paid|review)/#)
        }
        let lines = Self.lines(text)
        #expect(lines.filter { $0.hasPrefix("reference") }.count == 1)
        let column = try #require(lines[0].range(of: "status")).lowerBound
        let place = lines[0].distance(from: lines[0].startIndex, to: column)
        for line in lines.dropFirst() {
            let status = line.dropFirst(place).prefix { $0 != " " }
            #expect(["paid", "review"].contains(String(status)), "\(line)")
        }
    }

    @Test func `a progress bar is taken away`() throws {
        let instance = try Self.busyInstance()
        instance.stop()
        let text = try PseudoTerminal.run(["journal", "verify", instance.journal], columns: 80)
        let cleared = try #require(text.range(of: "\r\u{1B}[K"))
        #expect(text[..<cleared.lowerBound].contains("verify ["))
        #expect(!text[cleared.upperBound...].contains("["))
        let stat = try PseudoTerminal.run(["journal", "stat", instance.journal], columns: 80)
        #expect(stat.contains(#/bytes +\d+\.\d MB \(\d+\.\d KB used/#), "\(stat)")
    }
}
