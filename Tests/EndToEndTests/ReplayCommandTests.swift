import Foundation
import TestSupport
import Testing

/// `ipnd replay` between two real servers.
@Suite struct ReplayCommandTests {
    @Test func aJournalInAnEmptyInstanceGivesTheSameOrders() throws {
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
        // Another server with the same keys and nothing in its journal.
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
        // Once more they are duplicates: nothing changes.
        let again = try run(Binary.ipnd, ["replay", first.journal, "--url", url])
        #expect(again.status == 0)
        #expect(try first.records().count == second.records().count)
    }

    /// The last state of every order that the journal tells.
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

    @Test func aRawFileIsSentAndItsRefusalIsTold() throws {
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
}
