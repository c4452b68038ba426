import Foundation
import Payments
import Providers
import TestSupport
import Testing

/// A notification at a path without an endpoint: answered 404 and reported.
@Suite(.ownThreads) struct UnknownPathTests {
    /// The endpoint of each provider, and one with marks of its own settings.
    private static let names = ProviderCatalog.shipped.list.map(\.sandboxName)

    private func rejections(
        _ instance: Instance, _ arguments: [String] = []
    ) throws -> [[String: Any]] {
        let listed = try run(
            Binary.ipnd,
            [
                "rejections", "--json", "--reason", "unknown_path", "--config",
                instance.configurationFile,
            ] + arguments)
        #expect(listed.status == 0, "\(listed.errors)")
        return try listed.lines.filter { $0.hasPrefix("{") }.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `every provider's notification is kept told counted and explained`() throws {
        // There are more providers than the log keeps by default of one second.
        let instance = try Instance(
            edit: { $0 + "\nrejections: {perSecondMax: 1000}\n" },
            arguments: ["--log-format", "json"])
        for name in Self.names {
            let provider = try SandboxProvider(name, of: instance)
            let path = provider.endpoint.path
            let event = SampleEvent(
                type: .paid, reference: "LOST-\(name)",
                money: Money(minor: 4200, currency: Currency("MYR")!),
                // Some providers sign the time, which is only accepted for minutes.
                occurred: Timestamp(microseconds: Int64(Date().timeIntervalSince1970) * 1_000_000),
                number: 1)
            let delivery = try provider.sender.sign(event, path: path).replacing(
                target: "/api\(path)")
            let client = try instance.client()
            try client.send(delivery.request())
            let answer = try client.receive()
            #expect(answer.status == 404 && answer.body == "unknown_path\n")
        }
        #expect(try instance.records().isEmpty)

        let metrics = try instance.admin().get("/metrics").body
        for name in Self.names {
            #expect(
                metrics.contains("\nipnd_unknown_path_total{nearest=\"\(name)\"} 1\n"), "\(name)")
        }
        let kept = try rejections(instance)
        #expect(kept.map { $0["nearest"] as? String } == Self.names)
        #expect(kept.allSatisfy { $0["endpoint"] as? String == "" })
        #expect(try rejections(instance, ["--endpoint", "opp"]).count == 1)
        instance.stop()
        let lines = try instance.logText.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        let warnings = lines.filter { $0["reason"] as? String == "unknown_path" }
        #expect(warnings.map { $0["nearest"] as? String } == Self.names)
        #expect(warnings.allSatisfy { $0["level"] as? String == "warning" })
        #expect(
            warnings.map { $0["rejection"] as? String } == kept.map { $0["id"] as? String })

        // Each would verify at the nearest endpoint: only the path is wrong.
        for entry in kept {
            let explained = try run(
                Binary.ipnd,
                [
                    "explain", "\(instance.folder)/rejections/rejections.jsonl", "--id",
                    try #require(entry["id"] as? String), "--config", instance.configurationFile,
                ])
            let nearest = try #require(entry["nearest"] as? String)
            #expect(explained.status == 0, "\(explained.output)\(explained.errors)")
            #expect(explained.output.contains("no endpoint has the path /api/ipn/"))
            #expect(explained.output.contains("The nearest is \(nearest), /ipn/"))
            #expect(explained.output.contains("\(nearest) ("))
            #expect(explained.output.contains("would accept it"), "\(explained.output)")
            #expect(!explained.output.contains(" accepts it"))
        }
    }

    @Test func `other requests to unknown paths are only answered`() throws {
        let instance = try Instance(edit: {
            $0 + "\nrejections: {perSecondMax: 1000, inspectedBytesMax: 100}\n"
        })
        let client = try instance.client()
        let ecommpay = try SandboxProvider("ecommpay", of: instance)
        let antom = try SandboxProvider("antom", of: instance).delivery(reference: "GET-1")
        let get = String(decoding: antom.replacing(target: "/x").request(), as: UTF8.self)
            .replacingOccurrences(of: "POST /x", with: "GET /x")
        for bytes in [
            Array(
                "POST /wp-login.php HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\nlog=a&b".utf8),
            Array(get.utf8),
            // Its signature is beyond the inspected bytes.
            try ecommpay.delivery(reference: "FAR").replacing(target: "/x").request(),
        ] {
            try client.send(bytes)
            #expect(try client.receive().status == 404)
        }
        #expect(try rejections(instance).isEmpty)
        let metrics = try instance.admin().get("/metrics").body
        #expect(metrics.contains(#"ipnd_refusals_total{endpoint="",reason="unknown_path"} 3"#))
        #expect(metrics.contains("\nipnd_unknown_path_total{nearest=\"ecommpay\"} 0\n"))
        instance.stop()
        #expect(!instance.logText.contains("nearest="))
    }

    @Test func `a flood is kept only at the rate of all rejections`() throws {
        let instance = try Instance(edit: { $0 + "\nrejections: {perSecondMax: 0}\n" })
        let antom = try SandboxProvider("antom", of: instance).delivery(reference: "FLOOD")
        let client = try instance.client()
        for _ in 0..<50 {
            try client.send(antom.replacing(target: "/antom").request())
            #expect(try client.receive().status == 404)
        }
        #expect(try rejections(instance).isEmpty)
        let metrics = try instance.admin().get("/metrics").body
        #expect(metrics.contains("\nipnd_unknown_path_total{nearest=\"antom\"} 50\n"))
    }

    /// The provider was configured with, and signed, a path without an endpoint.
    @Test func `explain tells which path was signed`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        let file = "\(instance.folder)/raw.http"
        try Data(antom.delivery(reference: "RAW", path: "/pay/antom").request())
            .write(to: URL(fileURLWithPath: file))
        let config = ["--config", instance.configurationFile]
        let explained = try run(Binary.ipnd, ["explain", file] + config)
        #expect(explained.status == 0, "\(explained.output)\(explained.errors)")
        #expect(explained.output.contains("no endpoint has the path /pay/antom"))
        #expect(explained.output.contains("would refuse it: signature_mismatch"))
        #expect(explained.output.contains("pass it on as /ipn/antom and set `publicPath`"))
        let json = try run(Binary.ipnd, ["explain", file, "--json"] + config)
        let value = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
        let unknown = (value as? [String: Any])?["unknownPath"] as? [String: Any]
        #expect(unknown?["nearest"] as? String == "antom")
        #expect(unknown?["nearestPath"] as? String == "/ipn/antom")
    }

    /// A request captured in front of the proxy has the public path; the server's own path never
    /// arrived.
    @Test func `a public path is unknown only to the server`() throws {
        let instance = try Instance(edit: {
            $0.replacingOccurrences(
                of: "    path: /ipn/antom\n",
                with: "    path: /ipn/antom\n    publicPath: /pay/antom\n")
        })
        let antom = try SandboxProvider("antom", of: instance)
        let request = try antom.delivery(reference: "P", path: "/pay/antom").request()
        let file = "\(instance.folder)/raw.http"
        try Data(request).write(to: URL(fileURLWithPath: file))
        let config = ["--config", instance.configurationFile]
        let before = try run(Binary.ipnd, ["explain", file] + config)
        #expect(before.output.contains(" accepts it"), "\(before.output)\(before.errors)")
        let client = try instance.client()
        try client.send(request)
        #expect(try client.receive().status == 404)
        let own = try run(
            Binary.ipnd, ["explain", "\(instance.folder)/rejections/rejections.jsonl"] + config)
        #expect(own.status == 0)
        #expect(own.output.contains("no endpoint has the path /pay/antom"))
        #expect(own.output.contains("would accept it"))
    }
}
