import Foundation
import Payments
import TestSupport
import Testing

/// `ipnd orders` and `ipnd events`, from a running server and from a journal without one.
@Suite(.ownThreads) struct ReadingCommandTests {
    private static func instance() throws -> Instance {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.pending, reference: "C-1").request())
        try instance.deliver(antom.delivery(.paid, reference: "C-2", minor: 1250).request())
        try instance.deliver(antom.delivery(.paid, reference: "C-3", number: 3).request())
        return instance
    }

    private static func arguments(_ source: String, _ instance: Instance) -> [String] {
        source == "server"
            ? [
                "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)",
            ]
            : ["--journal", instance.journal]
    }

    @Test(arguments: ["server", "journal"])
    func `orders are listed and filtered`(_ source: String) throws {
        let instance = try Self.instance()
        let admin = try instance.admin()
        let isIndexed = try eventually {
            try admin.get("/orders").object()["indexed"] as? Int == 3
        }
        try #require(isIndexed)
        if source == "journal" { instance.stop() }
        let from = Self.arguments(source, instance)
        let all = try run(Binary.ipnd, ["orders"] + from)
        #expect(all.status == 0, "\(all.errors)")
        #expect(all.lines.count == 4)
        #expect(all.lines[0].hasPrefix("reference"))
        #expect(all.output.contains("12.50 MYR"))
        let pending = try run(Binary.ipnd, ["orders", "--status", "pending", "--json"] + from)
        #expect(pending.lines.count == 1)
        #expect(pending.output.contains(#""reference":"C-1""#))
        let one = try run(Binary.ipnd, ["orders", "C-2", "--endpoint", "antom", "--json"] + from)
        #expect(one.lines.count == 1)
        let none = try run(Binary.ipnd, ["orders", "C-9"] + from)
        #expect(none.status == 1)
        let events = try run(Binary.ipnd, ["events", "--after", "1", "--json"] + from)
        #expect(events.status == 0, "\(events.errors)")
        #expect(events.lines.count == 2)
        #expect(events.lines[0].hasPrefix(#"{"schema":1,"sequence":2,"#))
        let table = try run(Binary.ipnd, ["events", "--limit", "2"] + from)
        #expect(table.lines.count == 3)
    }

    @Test(arguments: StorageKind.all)
    func `one order is shown with all that is known`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let antom = try SandboxProvider("antom", of: instance)
        let admin = try instance.admin()
        let expectation =
            #"{"amount":{"minor":9900,"currency":"MYR"},"metadata":{"cart":7}}"#
        #expect(
            try admin.post("/orders/antom/DETAIL 1".replacing(" ", with: "%20"), expectation).status
                == 201)
        try instance.deliver(antom.delivery(.paid, reference: "DETAIL 1", minor: 1250).request())
        let isListed = try eventually {
            try admin.get("/orders?limit=1").object()["indexed"] as? Int ?? 0 >= 2
        }
        try #require(isListed)
        let from = Self.arguments("server", instance)
        let shown = try run(Binary.ipnd, ["orders", "DETAIL 1"] + from)
        #expect(shown.status == 0, "\(shown.errors)")
        for part in [
            "antom/DETAIL 1  REVIEW", "expected    99.00 MYR", #"{"cart":7}"#,
            "amount_unexpected: ",
            "review      You expect 99.00 MYR, 12.50 MYR was paid.",
            "attempts", "12.50 MYR", "timeline", "payment paid",
        ] {
            #expect(shown.output.contains(part), "\(part) is not in\n\(shown.output)")
        }
        let none = try run(Binary.ipnd, ["orders", "DETAIL-9"] + from)
        #expect(none.status == 1)
        #expect(none.errors.contains("DETAIL-9"))
    }

    /// The page and the command give the same advice.
    @Test func `every flag has the sentence of the page`() throws {
        let code = try SourceTree.text("Sources/AdminAPI/Orders/FlagAdvice.swift")
            .replacing(/"\n *\+ "/, with: "").replacing(/:\n */, with: ": ")
        let rows = try SourceTree.text("config/orders.md").matches(
            of: /\| `([a-z_]+)` \| (.+) \|\n/)
        let advice = rows.filter { code.contains("\"\($0.1)\": ") }
        #expect(advice.count == Flag.allCases.count + 1)
        for row in advice {
            // A dot marks the flags that put an order into review, some only on a condition.
            let sentence = row.2.replacing(/^(• )?(if [^.]*\. )?/, with: "")
            #expect(code.contains("\"\(row.1)\": \"\(sentence)\""), "\(row.1)")
        }
    }

    /// An empty list because of a mistyped filter would look like good news.
    @Test func `names that do not exist are mistakes`() throws {
        let instance = try Self.instance()
        let antom = try SandboxProvider("antom", of: instance)
        let client = try instance.client()
        try client.send(
            antom.delivery(reference: "C-4").replacing(header: "client-id", with: "X").request())
        #expect(try client.receive().status == 401)
        let from = Self.arguments("server", instance)
        let file = ["--config", instance.configurationFile]
        let nowhere = ["--url", "http://127.0.0.1:9/"]
        let mistakes: [(command: [String], remedy: String)] = [
            (["orders", "--endpoint", "antmo"] + from, "did you mean `antom`?"),
            (["orders", "--flag", "conflcit"] + from, "did you mean `conflict`?"),
            (
                ["listen", "--forward", "http://127.0.0.1:9/", "--endpoint", "antmo"] + from,
                "did you mean `antom`?"
            ),
            (["rejections", "--endpoint", "nothing-like-it"] + file, "known: "),
            (["events", "--endpoint", "antmo"] + from, "did you mean `antom`?"),
            (["events", "--endpoint", "antmo", "--follow"] + from, "did you mean `antom`?"),
            (
                ["events", "--endpoint", "antmo", "--journal", instance.journal],
                "did you mean `antom`?"
            ),
            (["events", "--flag", "conflcit"] + from, "did you mean `conflict`?"),
            (
                ["replay", instance.journal, "--endpoint", "antmo"] + nowhere,
                "did you mean `antom`?"
            ),
            (
                ["replay", "\(instance.folder)/rejections", "--endpoint", "antmo"] + nowhere,
                "did you mean `antom`?"
            ),
            (
                ["rejections", "--reason", "client_id_mismach"] + file,
                "did you mean `client_id_mismatch`?"
            ),
        ]
        _ = eventually {
            (try? run(Binary.ipnd, ["rejections", "--json"] + file))?.lines.isEmpty == false
        }
        for (command, remedy) in mistakes {
            let finished = try run(Binary.ipnd, command)
            #expect(finished.status == 64, "\(command): \(finished.errors)")
            #expect(finished.errors.contains(remedy), "\(finished.errors)")
            #expect(finished.output.isEmpty)
        }
        // A configured name without results is not an error.
        let none = try run(Binary.ipnd, ["orders", "--endpoint", "opp"] + from)
        #expect(none.status == 0, "\(none.errors)")
        #expect(none.output.contains("No orders."))
        let events = try run(Binary.ipnd, ["events", "--endpoint", "opp"] + from)
        #expect(events.status == 0 && events.output.isEmpty, "\(events)")
        // Omitted orders do not count as shown.
        let two = try run(
            Binary.ipnd, ["events", "--endpoint", "antom", "--limit", "2", "--json"] + from)
        #expect(two.status == 0 && two.lines.count == 2, "\(two)")
        let overdue = try run(Binary.ipnd, ["orders", "--flag", "overdue"] + from)
        #expect(overdue.status == 0, "\(overdue.errors)")
    }

    @Test func `watching and following go on with what comes`() throws {
        let instance = try Self.instance()
        let from = Self.arguments("server", instance) + ["--json"]
        let watch = try Following(["orders", "C-1", "--watch"] + from)
        let follow = try Following(["events", "--follow"] + from)
        #expect(eventually { watch.text.contains(#""status":"pending""#) })
        #expect(eventually { follow.text.split(separator: "\n").count == 3 })
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "C-1").request())
        #expect(eventually { watch.text.contains(#""status":"paid""#) }, "\(watch.text)")
        #expect(eventually { follow.text.split(separator: "\n").count == 4 })
    }

    /// A restart closes the held connections in order, a kill breaks them.
    @Test(arguments: [SIGTERM, SIGKILL])
    func `following goes on when the server was restarted`(_ signal: Int32) throws {
        // An address that stays the same after the restart.
        let temporary = TemporaryFolder()
        defer { withExtendedLifetime(temporary) {} }
        let folder = temporary.path
        let instance = try Instance(edit: { text in
            text.replacing(
                "admin: {address: \"127.0.0.1:0\"",
                with: "admin: {address: \"unix:\(folder)/admin\"")
        })
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "F-1").request())
        let from = ["--config", instance.configurationFile, "--json"]
        let follow = try Following(["events", "--follow"] + from)
        let watch = try Following(["orders", "--watch"] + from)
        #expect(eventually { follow.text.contains("F-1") && watch.text.contains("F-1") })
        instance.stop(signal)
        try instance.start()
        try instance.deliver(antom.delivery(.paid, reference: "F-2", number: 2).request())
        #expect(eventually { follow.text.contains("F-2") }, "\(follow.text)")
        #expect(eventually { watch.text.contains("F-2") }, "\(watch.text)")
        #expect(follow.text.split(separator: "\n").count == 2)
    }

    @Test func `without a server the command says what to do`() throws {
        let instance = try Instance(starts: false)
        let tried = try run(
            Binary.ipnd,
            ["orders", "--config", instance.configurationFile, "--url", "http://127.0.0.1:1"])
        #expect(tried.status == 69)
        #expect(tried.errors.contains("--journal DIR"))
    }
}

/// A command that runs until it is killed.
private final class Following {
    private let process: Child
    private let output = Box("")

    var text: String { output.get() }

    init(_ arguments: [String]) throws {
        process = try Child(Binary.ipnd, arguments, output: .pipe)
        if let written = process.output { _ = LogReader(written, into: output) }
    }
}
