import Foundation
import TestSupport
import Testing

/// `ipnd explain` and `ipnd rejections` on requests that a real server rejected.
@Suite(.ownThreads) struct ExplainCommandTests {
    /// A proxy strips `/ipn`, and ipnd is not configured for it.
    private func refusing() throws -> Instance {
        let instance = try Instance(edit: {
            $0.replacingOccurrences(of: "path: /ipn/antom", with: "path: /antom")
        })
        let sent = try run(
            Binary.ipnd,
            [
                "send", "--config", instance.configurationFile, "--endpoint", "antom", "--url",
                "http://127.0.0.1:\(instance.port)/antom", "--scenario", "bad-signature",
            ])
        #expect(sent.status == 0, "\(sent.errors)")
        let antom = try SandboxProvider("antom", of: instance)
        let client = try instance.client()
        try client.send(
            antom.delivery(reference: "P", path: "/ipn/antom").replacing(target: "/antom").request()
        )
        #expect(try client.receive().status == 401)
        return instance
    }

    @Test func `the rejection log is listed and its entries explained`() throws {
        let instance = try refusing()
        let config = ["--config", instance.configurationFile]
        let listed = try run(Binary.ipnd, ["rejections"] + config)
        #expect(listed.status == 0)
        #expect(listed.lines.count == 3)
        #expect(listed.lines.dropFirst().allSatisfy { $0.contains("signature_mismatch") })
        let json = try run(Binary.ipnd, ["rejections", "--json"] + config)
        let log = "\(instance.folder)/log.jsonl"
        try json.output.write(toFile: log, atomically: true, encoding: .utf8)

        // The last entry came through the proxy and is explained by the path.
        let explained = try run(Binary.ipnd, ["explain", log] + config)
        #expect(explained.status == 0, "\(explained.output)\(explained.errors)")
        #expect(explained.output.contains("changed: path /ipn/antom"))
        #expect(explained.output.contains("publicPath"))

        // Without a file it explains the last entry of the configured log.
        let last = try run(Binary.ipnd, ["explain"] + config)
        #expect(last.status == 0 && last.output == explained.output)

        // As a GET request it is answered 405, whatever else is found.
        let led = "\(instance.folder)/led.http"
        try "GET /ipn/hmac HTTP/1.1\r\nhost: a\r\n\r\n{}".write(
            toFile: led, atomically: true, encoding: .utf8)
        let method = try run(Binary.ipnd, ["explain", led] + config)
        #expect(method.output.contains("the server answers 405"), "\(method)")
        #expect(method.output.contains("1. A proxy removed it"), "\(method)")

        // A secret given in place of its file name is not printed.
        let secret = "whsec_c2VjcmV0LXRoYXQtaXMtbm90LWEtZmlsZQ=="
        let given = try run(Binary.ipnd, ["explain", "--key", secret] + config)
        #expect(given.status == 64)
        #expect(!(given.output + given.errors).contains("c2VjcmV0"))
        #expect(given.errors.contains("give the path of a file"))

        // After the path is corrected, the entry is replayed and accepted.
        try replay(log, json.lines, at: instance)

        // The first was forged, and no explanation is found.
        let first = try #require(
            try JSONSerialization.jsonObject(with: Data(json.lines[0].utf8)) as? [String: Any])
        let id = try #require(first["id"] as? String)
        let forged = try run(Binary.ipnd, ["explain", log, "--id", id] + config)
        #expect(forged.status == 1)
        #expect(forged.output.contains("Likeliest causes first:\n  1. The "))
        #expect(try run(Binary.ipnd, ["explain", log, "--id", "nobody"] + config).status == 66)
    }

    /// At a server with the received path.
    private func replay(_ log: String, _ lines: [String], at refusing: Instance) throws {
        let mended = try Instance(
            edit: {
                $0.replacingOccurrences(
                    of: "path: /ipn/antom", with: "path: /antom\n    publicPath: /ipn/antom")
            }, starts: false)
        for folder in ["keys", "secrets"] {
            try FileManager.default.removeItem(atPath: "\(mended.folder)/\(folder)")
            try FileManager.default.copyItem(
                atPath: "\(refusing.folder)/\(folder)", toPath: "\(mended.folder)/\(folder)")
        }
        try mended.start()
        let to = ["--url", "http://127.0.0.1:\(mended.port)"]
        let all = try run(Binary.ipnd, ["replay", log] + to)
        #expect(all.status == 1)
        #expect(all.output.contains("2 sent, 1 accepted, 1 not accepted"), "\(all.output)")
        let entry = try #require(
            try JSONSerialization.jsonObject(with: Data(lines[1].utf8)) as? [String: Any])
        let (id, received) = (entry["id"] as? String ?? "", entry["received"] as? String ?? "")
        for choice in [["--id", id], ["--since", received]] {
            let one = try run(Binary.ipnd, ["replay", log] + choice + to)
            #expect(one.status == 0, "\(one.output)\(one.errors)")
            #expect(one.output.contains("1 sent, 1 accepted, 0 not accepted"), "\(one.output)")
        }
        #expect(try run(Binary.ipnd, ["replay", log, "--id", "nobody"] + to).status == 66)
        #expect(try mended.records().count == 1)
    }

    @Test func `a raw file is explained`() throws {
        let instance = try Instance(starts: false)
        let antom = try SandboxProvider("antom", of: instance)
        let delivery = try antom.delivery(reference: "RAW")
        let file = "\(instance.folder)/raw.http"
        let config = ["--config", instance.configurationFile]
        try Data(delivery.request()).write(to: URL(fileURLWithPath: file))
        #expect(try run(Binary.ipnd, ["explain", file] + config).status == 0)
        try Data(delivery.replacing(body: delivery.body + [0x0A]).request())
            .write(to: URL(fileURLWithPath: file))
        let explained = try run(Binary.ipnd, ["explain", file, "--json"] + config)
        #expect(explained.status == 0)
        #expect(explained.output.contains(#""hypothesis":"body_white_space""#))
    }
}
