import Foundation
import TestSupport
import Testing

/// Card numbers and redacted members are in none of the files that the real binary writes.
@Suite(.ownThreads) struct RedactedRequestTests {
    private static let card = "4111111111111111"
    private static let email = "jane@customer.example"
    private static let members =
        #""customer":{"email":"\#(email)"},"card":{"number":"\#(card)","cvv":"737"},"#

    private func instance(_ storage: StorageKind, hashKey: Bool = false) throws -> Instance {
        let instance = try Instance(
            on: storage,
            edit: {
                let personal = "personal: {hashKey: {env: REDACTION_KEY}}\n"
                return (hashKey ? personal : "")
                    + $0.replacing(
                        "provider: hmac\n", with: "provider: hmac\n    redact: [/customer/email]\n")
            }, starts: !hashKey)
        if hashKey {
            instance.environment["REDACTION_KEY"] = "0123456789abcdef"
            try instance.start()
        }
        return instance
    }

    private func send(_ request: [UInt8], to instance: Instance) throws -> Int {
        let client = try instance.client()
        try client.send(request)
        return try client.receive().status
    }

    /// The files below the instance's folder that contain `text`.
    private func files(_ instance: Instance, with text: String) throws -> [String] {
        let all = try #require(FileManager.default.enumerator(atPath: instance.folder))
        return all.compactMap { $0 as? String }.filter { name in
            let content = FileManager.default.contents(atPath: "\(instance.folder)/\(name)")
            return content?.range(of: Data(text.utf8)) != nil
        }
    }

    @Test(arguments: StorageKind.all)
    func `a card number and a redacted member are stored nowhere`(on storage: StorageKind) throws {
        let instance = try instance(storage)
        let webhook = try SignedWebhook(instance)
        let request = webhook.request("R-1", members: Self.members)
        #expect(try send(request, to: instance) == 200)
        #expect(try send(request, to: instance) == 200)
        let forged = webhook.request(
            "R-2", members: Self.members, signature: String(repeating: "0", count: 64))
        #expect(try send(forged, to: instance) == 401)

        #expect(try instance.order("hmac", "R-1")?["status"] as? String == "paid")
        let records = try instance.records()
        #expect(records.count == 1)
        let kept = try #require(records.first?["request"] as? [String: Any])
        let body = try #require(kept["body"] as? String)
        #expect(body.contains(#""email":"redacted""#) && body.contains(#""cvv":"redacted""#))
        #expect(body.contains(#""number":"411111******1111""#))
        let mark = try #require(kept["redacted"] as? [String: Any])
        #expect(["values", "cards", "codes"].map { mark[$0] as? Int } == [1, 1, 1])

        #expect(instance.says("reason=card_data"))
        let metrics = try instance.admin().get("/metrics").body
        for what in ["card", "code", "value"] {
            let sample = "ipnd_redactions_total{endpoint=\"hmac\",what=\"\(what)\"} 2\n"
            #expect(metrics.contains(sample), "\(what)")
        }
        let explained = try run(
            Binary.ipnd, ["explain", "--config", instance.configurationFile])
        #expect(explained.output.contains("parts of it were removed"), "\(explained)")
        #expect(!explained.output.contains("Content-Length"), "\(explained)")
        instance.stop()
        for text in [Self.card, Self.email, "\"737\""] {
            #expect(try files(instance, with: text) == [])
            #expect(!instance.logText.contains(text))
        }
    }

    @Test func `a redacted record is counted apart and not replayed`() throws {
        let instance = try instance(.journal, hashKey: true)
        let webhook = try SignedWebhook(instance)
        #expect(try send(webhook.request("R-1", members: Self.members), to: instance) == 200)
        #expect(try send(webhook.request("R-2"), to: instance) == 200)
        let kept = try #require(try instance.records().first?["request"] as? [String: Any])
        #expect((kept["body"] as? String)?.contains(#""email":"redacted-"#) == true)
        let replayed = try run(
            Binary.ipnd,
            ["replay", instance.journal, "--url", "http://127.0.0.1:\(instance.port)"])
        #expect(replayed.errors.contains("#1 skipped"), "\(replayed)")
        #expect(replayed.output.contains("1 sent, 1 accepted"), "\(replayed)")
        instance.stop()
        func journal(_ command: String) throws -> Finished {
            try run(
                Binary.ipnd,
                ["journal", command, instance.journal, "--config", instance.configurationFile],
                environment: ["REDACTION_KEY": "0123456789abcdef"])
        }
        let reread = try journal("reread")
        #expect(reread.output.contains("so its reading stays"), "\(reread)")
        let verified = try journal("verify")
        #expect(verified.status == 0, "\(verified)")
        #expect(verified.output.contains("signatures   1 verified, 0 failed"), "\(verified)")
        #expect(verified.output.contains("1 record redacted"), "\(verified)")
    }
}
