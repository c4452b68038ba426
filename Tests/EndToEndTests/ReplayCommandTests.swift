import Foundation
import TestSupport
import Testing

/// `ipnd replay` between two real servers.
@Suite(.ownThreads) struct ReplayCommandTests {
    @Test func `a journal in an empty instance gives the same orders`() throws {
        let first = try Instance()
        for scenario in [
            "refund", "partial-refunds", "out-of-order", "failed-then-paid", "chargeback",
        ] {
            for system in ["antom", "citcon", "opp"] {
                let sent = try run(
                    Binary.ipnd,
                    [
                        "send", "--config", first.configurationFile, "--endpoint", system,
                        "--scenario", scenario, "--reference", "\(scenario)/é",
                        "--url", "http://127.0.0.1:\(first.port)",
                    ])
                #expect(sent.status == 0, "\(sent.errors)")
            }
        }
        // Another server with the same keys and an empty journal.
        let second = try Instance(starts: false)
        for folder in ["keys", "secrets"] {
            try FileManager.default.removeItem(atPath: "\(second.folder)/\(folder)")
            try FileManager.default.copyItem(
                atPath: "\(first.folder)/\(folder)", toPath: "\(second.folder)/\(folder)")
        }
        try second.start()
        let url = "http://127.0.0.1:\(second.port)"
        let replayed = try run(Binary.ipnd, ["replay", first.journal, "--url", url, "--json"])
        #expect(replayed.status == 0, "\(replayed.output)\(replayed.errors)")
        #expect(try Self.states(first) == Self.states(second))
        #expect(try Self.states(first).count == 15)
        // Replayed again they are duplicates: nothing changes.
        let again = try run(Binary.ipnd, ["replay", first.journal, "--url", url])
        #expect(again.status == 0)
        #expect(try first.records().count == second.records().count)
    }

    /// The last state of every order in the journal.
    private static func states(_ instance: Instance) throws -> [String: String] {
        var states: [String: String] = [:]
        for record in try instance.records() {
            guard let order = record["order"] as? [String: Any],
                let reference = order["reference"] as? String, let endpoint = record["endpoint"]
            else { continue }
            var facts = order
            facts["previous"] = nil
            let data = try JSONSerialization.data(withJSONObject: facts, options: .sortedKeys)
            states["\(endpoint) \(reference)"] = String(decoding: data, as: UTF8.self)
        }
        return states
    }

    @Test func `a raw file is sent and its refusal is told`() throws {
        let instance = try Instance()
        let file = "\(instance.folder)/forged.http"
        try "POST /ipn/antom HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}"
            .write(toFile: file, atomically: true, encoding: .utf8)
        let url = "http://127.0.0.1:\(instance.port)"
        let sent = try run(Binary.ipnd, ["replay", file, "--url", url])
        #expect(sent.status == 1)
        #expect(sent.output.contains("401"))
        #expect(try run(Binary.ipnd, ["replay", "/nonexistent", "--url", url]).status == 66)
        #expect(try run(Binary.ipnd, ["replay", file, "--url", "http://127.0.0.1:9"]).status == 69)
    }

    /// After the cause is fixed, rejected requests are replayed: one entry, or all since a time.
    @Test func `what was refused is sent again`() throws {
        let instance = try Instance(starts: false)
        let citcon = try SandboxProvider("citcon", of: instance)
        let secret = "\(instance.folder)/secrets/citcon"
        let right = try String(contentsOfFile: secret, encoding: .utf8)
        try "another one\n".write(toFile: secret, atomically: true, encoding: .utf8)
        try instance.start()
        for number in 1...3 {
            let client = try instance.client()
            try client.send(citcon.delivery(reference: "AGAIN-\(number)").request())
            #expect(try client.receive().status == 401)
        }
        instance.stop()
        let log = "\(instance.folder)/rejections/rejections.jsonl"
        let entries = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            .map {
                try #require(
                    try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
        try #require(entries.count == 3)
        let first = try #require(entries[0]["id"] as? String)
        let second = try #require(entries[1]["received"] as? String)
        try right.write(toFile: secret, atomically: true, encoding: .utf8)
        try instance.start()
        func replay(_ arguments: [String]) throws -> Finished {
            try run(
                Binary.ipnd,
                ["replay", log, "--url", "http://127.0.0.1:\(instance.port)"] + arguments)
        }
        func references() throws -> [String] {
            try instance.records().compactMap { record in
                (record["order"] as? [String: Any])?["reference"] as? String
            }
        }
        let one = try replay(["--id", first])
        #expect(one.status == 0, "\(one.output)\(one.errors)")
        #expect(one.output.contains("1 sent, 1 accepted"))
        #expect(try references() == ["AGAIN-1"])
        let rest = try replay(["--since", second])
        #expect(rest.status == 0, "\(rest.output)\(rest.errors)")
        #expect(rest.output.contains("2 sent, 2 accepted"))
        #expect(try references() == ["AGAIN-1", "AGAIN-2", "AGAIN-3"])
        let none = try replay(["--id", "no-such-id"])
        #expect(none.status == 66 && none.errors.contains("no entry no-such-id"))
        #expect(try replay(["--since", "2999-01-01T00:00:00Z"]).status == 66)
        #expect(try replay(["--since", "yesterday"]).status == 64)
    }
}
