import Foundation
import TestSupport
import Testing

/// `ipnd reconcile` with the real binary: with a provider that answers, and with files.
@Suite(.ownThreads) struct ReconcileCommandTests {
    private static func instance(
        on storage: StorageKind = .journal, _ provider: ProviderStub
    ) throws -> Instance {
        let inquiry = "inquiry: {url: \"http://127.0.0.1:\(provider.port)\"}"
        return try Instance(on: storage) {
            $0.replacingOccurrences(
                of: "provider: citcon-pay\n", with: "provider: citcon-pay\n    \(inquiry)\n")
        }
    }

    /// Citcon Pay's answer about one payment, or about an unknown one.
    private static func answer(to request: String) -> String? {
        let reference = String(
            request.firstMatch(of: /(?:reference=|transaction_id=T-)([A-Z0-9-]+)/)?.1 ?? "")
        if reference.contains("BROKEN") { return ProviderStub.answer("<html>") }
        if reference.contains("GONE") { return ProviderStub.answer("{}") }
        return ProviderStub.answer(
            #"{"id":"T-\#(reference)","type":"charge","currency":"EUR","status":"success","#
                + #""amount":\#(reference.contains("LESS") ? 4100 : 4200),"#
                + #""reference":"\#(reference)"}"#)
    }

    private func reconcile(
        _ instance: Instance, _ arguments: [String], endpoint: String = "citcon-pay"
    ) throws -> Finished {
        try run(
            Binary.ipnd,
            [
                "reconcile", "--endpoint", endpoint, "--config", instance.configurationFile,
            ]
                + (arguments.contains("--journal")
                    ? []
                    : [
                        "--url", "http://127.0.0.1:\(instance.adminPort)",
                    ]) + arguments)
    }

    private func expect(_ instance: Instance, _ references: [String]) throws {
        let admin = try instance.admin()
        for reference in references {
            let answer = try admin.post(
                "/orders/citcon-pay/\(reference)", #"{"amount":{"minor":4200,"currency":"EUR"}}"#)
            #expect(answer.status == 201, "\(answer.body)")
        }
    }

    @Test(arguments: StorageKind.all)
    func `every order of a period is asked for once`(_ storage: StorageKind) throws {
        let provider = try ProviderStub { Self.answer(to: $0) }
        let instance = try Self.instance(on: storage, provider)
        try expect(instance, ["LOST-1", "GONE-1", "LESS-1", "BROKEN-1"])
        let asked = try reconcile(instance, ["--from", "2026-01-01", "--csv"])
        #expect(asked.status == 1, "\(asked)")
        let rows = asked.output.split(separator: "\r\n").map(String.init)
        #expect(rows.first == "reference,difference,here,there,detail")
        let kinds = rows.dropFirst().map {
            $0.split(separator: ",").prefix(2).joined(separator: " ")
        }
        // A registered order that the provider does not know is not a difference: neither has a
        // payment.
        #expect(
            kinds.filter { !$0.contains("other_amount") && !$0.contains("new_doubt") } == [
                "LOST-1 other_status", "LESS-1 other_status", "BROKEN-1 not_answered",
            ], "\(asked)")
        #expect(asked.errors.contains("4 of 4 orders asked about"))
        let admin = try instance.admin()
        #expect(try admin.get("/orders/citcon-pay/LOST-1").object()["status"] as? String == "paid")
        #expect(
            try admin.get("/orders/citcon-pay/LESS-1").object()["status"] as? String == "review")
        #expect(
            try admin.get("/orders/citcon-pay/GONE-1").object()["status"] as? String == "pending")
        // No inquiry is sent for a period without orders.
        let none = try reconcile(
            instance, ["--from", "2026-01-01", "--to", "2026-01-02", "--json"])
        #expect(none.status == 0)
        #expect(
            none.output == #"{"type":"summary","differences":0,"orders":0,"asked":0}"# + "\n")
    }

    /// Killed in the middle and continued: no order is asked about twice, and none is left out.
    @Test func `an interrupted sweep goes on`() throws {
        // The provider answers eight times, and then no more until the first sweep is over.
        let answers = DispatchSemaphore(value: 0)
        for _ in 0..<8 { answers.signal() }
        let provider = try ProviderStub {
            answers.wait()
            return Self.answer(to: $0)
        }
        let instance = try Self.instance(provider)
        let references = (0..<30).map { "LOST-\($0)" }
        try expect(instance, references)
        let file = "\(instance.folder)/sweep"
        let arguments = [
            "reconcile", "--endpoint", "citcon-pay", "--config", instance.configurationFile,
            "--url",
            "http://127.0.0.1:\(instance.adminPort)", "--from", "2026-01-01", "--resume", file,
            "--json",
        ]
        let first = try BackgroundProgram(Binary.ipnd, arguments)
        #expect(eventually { provider.requests.count == 9 })
        first.kill()
        for _ in 0..<100 { answers.signal() }
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let noted = text.split(separator: "\n").filter { $0.contains("differences") }.count
        #expect(noted == 8, "\(text)")
        // The last line is torn.
        try "\(text){\"reference\":\"LO".write(toFile: file, atomically: false, encoding: .utf8)
        let second = try run(Binary.ipnd, arguments)
        #expect(second.status == 1, "\(second)")
        #expect(second.lines.last?.contains(#""asked":30"#) == true, "\(second)")
        let changed = second.lines.filter { $0.contains("other_status") }
        #expect(changed.count == 30 && Set(changed).count == 30, "\(second.output)")
        // Only the order in progress may have been asked about twice.
        #expect(provider.requests.count <= 31)
        #expect(!FileManager.default.fileExists(atPath: file))
        // The file of another sweep is rejected.
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        let other = try run(
            Binary.ipnd, arguments.map { $0 == "2026-01-01" ? "2026-01-02" : $0 })
        #expect(other.status == 64 && other.errors.contains("is of citcon-pay"), "\(other)")
    }

    /// A provider allows two inquiries a minute about one order and has received them: the sweep
    /// waits until it answers and sends no other inquiries meanwhile.
    @Test func `a throttled sweep waits until the provider answers`() throws {
        // The provider's minute takes ten seconds, and ipnd pauses as long.
        let world = try World(
            inquiry: "schedule: [], secondsPerQuestion: 0.01, secondsPerOrder: 0.001, "
                + "retryAfterSecondsMax: 10", ["--speed", "6"])
        let instance = world.instance
        let references = ["T-1", "T-2", "T-3"]
        for reference in references {
            let sent = try run(
                Binary.ipnd,
                [
                    "send", "--config", instance.configurationFile, "--endpoint", "opp",
                    "--reference", reference, "--lose", "--simulator",
                    "http://127.0.0.1:\(world.simulatorPort)",
                ])
            #expect(sent.status == 0, "\(sent)")
        }
        let admin = try instance.admin()
        for reference in references {
            for _ in 1...2 {
                // The shortest pause is a millisecond, and both questions may come within it.
                let isAnswered = try eventually {
                    let answer = try admin.post("/orders/opp/\(reference)/inquire", "")
                    return try answer.object()["verdict"] as? String == "answered"
                }
                #expect(isAnswered)
            }
        }
        let asked = try run(
            Binary.ipnd,
            [
                "reconcile", "--endpoint", "opp", "--config", instance.configurationFile,
                "--from", "2026-01-01", "--json",
            ])
        #expect(asked.status == 0, "\(asked)")
        #expect(asked.lines.last?.contains(#""differences":0,"orders":3,"asked":3"#) == true)
        #expect(asked.errors.contains("s before the next question"))
        #expect(try world.counts()["throttled"] as? Int == 1)
    }

    @Test func `a provider that is away ends the sweep`() throws {
        let provider = try ProviderStub { _ in nil }
        let instance = try Self.instance(provider)
        try expect(instance, (0..<12).map { "LOST-\($0)" })
        let asked = try reconcile(instance, ["--from", "2026-01-01"])
        #expect(asked.status == 69, "\(asked)")
        #expect(asked.errors.contains("the provider does not answer"))
        #expect(asked.errors.contains("12 orders not asked about"))
    }

    @Test func `what cannot be asked says why`() throws {
        let provider = try ProviderStub { Self.answer(to: $0) }
        let instance = try Self.instance(provider)
        let named = try reconcile(instance, ["--from", "2026-01-01"], endpoint: "citcon-pai")
        #expect(
            named.status == 64 && named.errors.contains("did you mean `citcon-pay`?"), "\(named)")
        let silent = try reconcile(instance, ["--from", "2026-01-01"], endpoint: "antom")
        #expect(silent.status == 78 && silent.errors.contains("has no `inquiry`"), "\(silent)")
        #expect(instance.stop() == 0)
        let away = try reconcile(instance, ["--from", "2026-01-01"])
        #expect(away.status == 69, "\(away)")
        for wrong in [[], ["--from", "yesterday"], ["--from", "2026-01-01", "--journal", "x"]] {
            #expect(try reconcile(instance, wrong).status == 64, "\(wrong)")
        }
    }

    /// Tests each kind of difference, with and without a server.
    @Test(arguments: StorageKind.all)
    func `a settlement is compared without asking`(_ storage: StorageKind) throws {
        let provider = try ProviderStub { Self.answer(to: $0) }
        let instance = try Self.instance(on: storage, provider)
        for (reference, more) in [
            ("SAME", []), ("AMOUNT", []), ("STATUS", []), ("ALONE", []),
            ("FAILED", ["--status", "failed"]), ("=BAD", []), ("REFUND", ["--scenario", "refund"]),
        ] {
            let sent = try run(
                Binary.ipnd,
                [
                    "send", "--config", instance.configurationFile, "--url",
                    "http://127.0.0.1:\(instance.port)", "--endpoint", "citcon-pay", "--currency",
                    "EUR",
                    "--reference", reference,
                ] + more)
            #expect(sent.status == 0, "\(sent)")
        }
        let file = "\(instance.folder)/settlement.csv"
        let text =
            "\u{FEFF}Merchant reference;Gross;Currency;State\r\n"
            + "SAME;42.00;EUR;SETTLED\r\n\"AMOUNT\";\"42.01\";EUR;SETTLED\r\n"
            + "STATUS;42.00;EUR;failed\r\nMISSING;1.00;EUR;SETTLED\r\nREFUND;42.00;EUR;refunded\r\n"
            + "=BAD;one;EUR;SETTLED\r\n"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        var arguments = [
            "--file", file, "--separator", ";", "--reference-column", "Merchant reference",
            "--amount-column", "Gross", "--status-column", "State", "--status-word",
            "SETTLED=paid", "--json",
        ]
        let compared = try reconcile(instance, arguments)
        #expect(compared.status == 65, "\(compared)")
        #expect(compared.errors.contains("settlement.csv:7: “one” is not a valid EUR amount"))
        let differences = Set(compared.lines.dropLast())
        #expect(
            differences == [
                #"{"reference":"AMOUNT","difference":"other_amount","here":"42.00 EUR","#
                    + #""there":"42.01 EUR","detail":"line 3"}"#,
                #"{"reference":"STATUS","difference":"other_status","here":"paid","#
                    + #""there":"failed","detail":"line 4"}"#,
                #"{"reference":"MISSING","difference":"missing_here","here":"","#
                    + #""there":"paid 1.00 EUR","detail":"line 5"}"#,
                #"{"reference":"ALONE","difference":"missing_there","here":"paid 42.00 EUR","#
                    + #""there":"","detail":"record 4"}"#,
            ], "\(compared)")
        #expect(
            compared.lines.last
                == #"{"type":"summary","differences":4,"rows":6,"compared":4,"badLines":1,"#
                + #""sums":[{"currency":"EUR","here":16800,"there":16801}]}"#, "\(compared)")
        #expect(provider.requests.isEmpty)
        guard storage == .journal else { return }
        // ipnd's own export has no differences and needs no server.
        let export = try instance.admin().get("/orders?endpoint=citcon-pay", accept: "text/csv")
        try export.body.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(instance.stop() == 0)
        arguments = ["--file", file, "--journal", instance.journal]
        let own = try reconcile(instance, arguments)
        #expect(own.status == 0, "\(own)")
        #expect(own.output.contains("7 rows, 7 orders compared, 0 differences"), "\(own)")
        #expect(own.output.contains("0.00 EUR difference"))
        let missing = try reconcile(instance, ["--file", "\(file).none"])
        #expect(missing.status == 66)
        let column = try reconcile(instance, arguments + ["--amount-column", "amont"])
        #expect(column.status == 65 && column.errors.contains("did you mean `amount`?"))
    }
}
