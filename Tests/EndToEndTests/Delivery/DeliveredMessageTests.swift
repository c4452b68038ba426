import Foundation
import TestSupport
import Testing
import Yams

/// Compares every message that a destination is sent with `webhooks` of config/openapi.yaml.
@Suite(.ownThreads) struct DeliveredMessageTests {
    private let folder = TemporaryFolder()

    @Test func `each message has the form that the document gives it`() throws {
        let secret = try folder.write("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
        let shop = try LocalServer(once: { _ in LocalServer.answer(204, "Connection: close\r\n") })
        let instance = try Instance(edit: { text in
            text + "\ndestinations:\n  - {name: shop, url: \"http://127.0.0.1:\(shop.port)/\", "
                + "secrets: [{file: \(secret)}]}\n"
        })
        for scenario in ["refund", "chargeback", "authorized-captured", "failed", "out-of-order"] {
            let sent = try run(
                Binary.ipnd,
                [
                    "send", "--config", instance.configurationFile, "--endpoint", "antom",
                    "--scenario", scenario, "--reference", "M-\(scenario)", "--url",
                    "http://127.0.0.1:\(instance.port)",
                ])
            #expect(sent.status == 0, "\(sent.output)\(sent.errors)")
        }
        // Without a reference, in conflict with another, and expected.
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.paid, reference: "M-1", minor: 4200).request())
        let admin = try instance.admin()
        let expected = try admin.post("/orders/antom/M-2", OrderRouteTests.expectation)
        #expect(expected.status == 201, "\(expected.body)")
        let last = try #require(try admin.get("/orders/antom/M-2").object()["last"] as? Int)
        try admin.send("POST", "/destinations/shop/test")
        #expect(try admin.client.receive().status == 200)
        #expect(eventually { shop.requests.contains { $0.contains("-\(last)\r\n") } })
        #expect(shop.requests.count > 10)
        let schemas = try DocumentedSchemas()
        let pattern = try Regex(Self.documentedPattern())
        var types: Set<String> = []
        for request in shop.requests {
            let parts = request.components(separatedBy: "\r\n\r\n")
            let id = try #require(
                parts[0].components(separatedBy: "\r\n").first { $0.hasPrefix("webhook-id: ") })
            #expect(try pattern.wholeMatch(in: String(id.dropFirst(12))) != nil, "\(id)")
            let body = try JSONSerialization.jsonObject(with: Data(parts[1].utf8))
            #expect(schemas.complaints(about: body, as: "Message") == [], "\(parts[1])")
            let message = try #require(body as? [String: Any])
            let type = try #require(message["type"] as? String)
            types.insert(type)
            let data = try #require(message["data"] as? [String: Any])
            #expect((data["order"] == nil) == (type == "test"), "an example is about no order")
        }
        #expect(types.isSuperset(of: ["test", "order.paid", "order.refunded", "order.pending"]))
    }

    /// The pattern of the header `webhook-id`.
    private static func documentedPattern() throws -> String {
        let document = try Yams.load(yaml: SourceTree.text("config/openapi.yaml")) as? [String: Any]
        let webhooks = document?["webhooks"] as? [String: [String: [String: Any]]]
        let parameters = webhooks?["order"]?["post"]?["parameters"] as? [[String: Any]]
        let schema = parameters?.first { $0["name"] as? String == "webhook-id" }?["schema"]
        return try #require((schema as? [String: Any])?["pattern"] as? String)
    }
}
