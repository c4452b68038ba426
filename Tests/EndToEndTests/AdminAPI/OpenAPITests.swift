import Cryptography
import Foundation
import Payments
import TestSupport
import Testing
import Yams

/// Compares config/openapi.yaml with the real server. `scripts/check-openapi` tests more, with
/// random requests.
@Suite(.ownThreads) struct OpenAPITests {
    private static func paths() throws -> [String: [String: Any]] {
        let document = try Yams.load(yaml: SourceTree.text("config/openapi.yaml")) as? [String: Any]
        return try #require(document?["paths"] as? [String: [String: Any]])
    }

    @Test func `every path answers with a documented status and type`() throws {
        // The provider refuses the connection, which is a documented answer too.
        let inquiry = "inquiry: {url: \"http://127.0.0.1:1\", privateKey: {file: merchant.pem}}"
        let instance = try Instance(
            edit: { text in
                text.replacingOccurrences(
                    of: "provider: antom\n", with: "provider: antom\n    \(inquiry)\n")
                    + Instance.silentDestination
            }, starts: false)
        try RSAPrivateKey.generate().pem.write(
            toFile: "\(instance.folder)/merchant.pem", atomically: true, encoding: .utf8)
        try instance.start()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "D-1").request())
        let admin = try instance.admin()
        let bodies = [
            "post": OrderRouteTests.expectation, "put": OrderRouteTests.expectation,
        ]
        // Paths of another listener have servers of their own.
        for (path, item) in try Self.paths() where item["servers"] == nil {
            let target =
                path.replacingOccurrences(of: "{endpoint}", with: "antom")
                .replacingOccurrences(of: "{reference}", with: "D-1")
                .replacingOccurrences(of: "{name}", with: "silent")
            for method in ["get", "post", "put"] {
                try admin.send(
                    method.uppercased(), target, headers: ["If-Match: \"1\""],
                    body: bodies[method])
                let answer = try admin.client.receive()
                guard let operation = item[method] as? [String: Any] else {
                    #expect(answer.status == 405, "\(method) \(path) is not documented")
                    continue
                }
                let responses = try #require(operation["responses"] as? [String: [String: Any]])
                let response = try #require(responses["\(answer.status)"], "\(method) \(path)")
                // A resolution needs an order in `review`, `resend` a selection, and `backfill` a
                // time.
                let isDecision =
                    path.hasSuffix("/resolve") && path.hasPrefix("/orders")
                    || path.hasSuffix("/correct") || path.hasSuffix("/split")
                    || path.hasPrefix("/expectations/") || path.hasSuffix("/resend")
                    || path.hasSuffix("/backfill") || path.hasSuffix("/erase")
                    || path == "/erasures"
                #expect(
                    isDecision ? answer.status == 400 : answer.status < 300,
                    "\(method) \(path): \(answer.body)")
                let isProblem = (response["$ref"] as? String)?.hasSuffix("/Problem") == true
                let types =
                    isProblem
                    ? ["application/problem+json"]
                    : (response["content"] as? [String: Any])?.keys.map { $0 } ?? ["text/plain"]
                let type = answer.fields["content-type"]?.split(separator: ";").first.map(
                    String.init)
                #expect(types.contains(type ?? ""), "\(method) \(path)")
            }
        }
    }

    /// The server rejects a query with a NUL (`QueryParameters`), so no parameter's schema may
    /// allow one. `check-openapi` finds such a schema only if its random values contain a NUL.
    @Test func `no text of a query is documented with a NUL`() throws {
        let document = try Yams.load(yaml: SourceTree.text("config/openapi.yaml")) as? [String: Any]
        let components = document?["components"] as? [String: Any]
        let shared = components?["parameters"] as? [String: [String: Any]] ?? [:]
        let items = try Self.paths().values
        let listed = items.flatMap { [$0] + $0.values.compactMap { $0 as? [String: Any] } }
            .flatMap { $0["parameters"] as? [[String: Any]] ?? [] }
        let texts = (listed + shared.values).filter { parameter in
            let schema = parameter["schema"] as? [String: Any]
            return parameter["in"] as? String == "query" && schema?["type"] as? String == "string"
        }
        #expect(texts.count >= 8)
        for parameter in texts {
            let name = try #require(parameter["name"] as? String)
            let schema = try #require(parameter["schema"] as? [String: Any])
            if schema["enum"] != nil || schema["format"] as? String == "date-time" { continue }
            let pattern = try #require(schema["pattern"] as? String, "\(name) has no pattern")
            let expression = try NSRegularExpression(pattern: pattern)
            let match = expression.firstMatch(in: "1\0", range: NSRange(location: 0, length: 2))
            #expect(match == nil, "\(name) allows a NUL")
        }
    }

    @Test func `every route of the server is in the document`() throws {
        #expect(
            try Set(Self.paths().keys) == [
                "/healthz", "/readyz", "/metrics", "/orders", "/orders/{endpoint}/{reference}",
                "/orders/{endpoint}/{reference}/inquire",
                "/orders/{endpoint}/{reference}/resolve",
                "/orders/{endpoint}/{reference}/correct",
                "/orders/{endpoint}/{reference}/split",
                "/orders/{endpoint}/{reference}/erase", "/erasures",
                "/expectations/{endpoint}/{reference}", "/endpoints/{endpoint}/backfill",
                "/audit", "/events", "/destinations", "/destinations/{name}/pause",
                "/destinations/{name}/resume", "/destinations/{name}/test", "/deliveries",
                "/deliveries/retry", "/deliveries/resolve", "/deliveries/resend",
                "/outcome/{token}",
            ])
    }

    /// Every term is in the document with a description, and on the page of orders with a remedy.
    @Test func `every flag and status is documented`() throws {
        let schemas = try DocumentedSchemas()
        let flags = schemas.words(of: "Flag")
        #expect(Set(flags) == Set(Flag.allCases.map(\.rawValue) + ["overdue"]))
        #expect(schemas.words(of: "Status") == OrderStatus.allCases.map(\.rawValue))
        let document = try SourceTree.text("config/openapi.yaml")
        let page = try SourceTree.text("config/orders.md")
        let rows = flags.map { "| `\($0)` | " }
        #expect(rows.filter { !document.contains($0) } == [])
        #expect(rows.filter { !page.contains($0) } == [])
    }

    @Test func `the columns of the export are documented`() throws {
        let instance = try Instance()
        let header = try instance.admin().get("/orders", accept: "text/csv").body
            .trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(try SourceTree.text("config/openapi.yaml").contains(" \(header)\n"))
    }
}
