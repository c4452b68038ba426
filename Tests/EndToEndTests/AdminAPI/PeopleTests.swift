import Foundation
import TestSupport
import Testing

/// People with roles of their own, the identity that a proxy states, and the audit trail.
@Suite(.ownThreads) struct PeopleTests {
    private static let alice = "alice-0123456789abcdef-0123456789"
    private static let boss = "boss-0123456789abcdef-0123456789ab"

    private static func instance() throws -> Instance {
        let instance = try Instance(
            edit: { text in
                text.replacingOccurrences(
                    of: "token: {file: secrets/admin-token}",
                    with: """
                        token: {file: secrets/admin-token}, people: [
                        {name: alice, role: operator, token: {file: secrets/alice}},
                        {name: boss, role: admin, token: {file: secrets/boss}},
                        {name: dora@shop.example, role: viewer}],
                        identity: {header: X-Forwarded-User, trusted: [127.0.0.1]},
                        proxy: {header: x-forwarded-for, trusted: [127.0.0.1]}
                        """.replacing("\n", with: " ")) + Instance.silentDestination
            }, starts: false)
        for (name, token) in [("alice", alice), ("boss", boss)] {
            try token.write(
                toFile: "\(instance.folder)/secrets/\(name)", atomically: true, encoding: .utf8)
        }
        try instance.start()
        return instance
    }

    private struct Caller {
        let client: Client
        let fields: [String]

        init(_ instance: Instance, _ fields: [String]) throws {
            client = try Client(port: instance.adminPort)
            self.fields = fields
        }

        func ask(_ method: String, _ path: String, _ body: String = "") throws -> HTTPAnswer {
            let lines =
                ["\(method) \(path) HTTP/1.1", "Host: localhost"] + fields
                + ["Content-Length: \(body.utf8.count)", "", body]
            try client.send(lines.joined(separator: "\r\n"))
            return try client.receive()
        }
    }

    private static func entries(_ instance: Instance, _ arguments: [String] = []) throws -> [String]
    {
        let result = try run(
            Binary.ipnd,
            ["audit", "--json", "--limit", "1000", "--config", instance.configurationFile]
                + arguments)
        #expect(result.status == 0)
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test func `acts and looks are recorded under the person's name`() throws {
        let instance = try Self.instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "V-1").request())
        let alice = try Caller(
            instance, ["Authorization: Bearer \(Self.alice)", "X-Forwarded-For: 203.0.113.5"])
        let boss = try Caller(instance, ["Authorization: Bearer \(Self.boss)"])
        // An operator acts, and sees no personal data and no audit trail.
        #expect(try alice.ask("POST", "/destinations/silent/pause").status == 200)
        #expect(try alice.ask("GET", "/events").body.contains("\"request\"") == false)
        #expect(try alice.ask("GET", "/audit").code == "role_insufficient")
        #expect(try boss.ask("GET", "/orders/antom/V-1").status == 200)
        let events = try boss.ask("GET", "/events").body
        #expect(events.contains("\"request\"") && events.contains(#""by":"alice""#))
        #expect(events.contains("203.0.113.5"))
        // Who did and saw what.
        let page = try boss.ask("GET", "/audit?who=alice").body
        #expect(page.contains(#""what":"pause""#) && page.contains(#""remote":"203.0.113.5""#))
        let lines = try Self.entries(instance)
        for part in [
            #""what":"start""#,
            #""who":"boss","role":"admin","remote":"127.0.0.1","what":"read_order","on":"antom/"#
                + #"V-1","result":200"#,
            #""who":"boss","role":"admin","remote":"127.0.0.1","what":"read_events""#,
            #""who":"alice","role":"operator","remote":"203.0.113.5","what":"pause","on":"silent","#
                + #""result":200"#,
            #""what":"read_audit","on":"who=alice""#,
        ] { #expect(lines.contains { $0.contains(part) }, "\(part)") }
        #expect(
            !lines.contains {
                $0.contains(
                    #""who":"alice","role":"operator","remote":"203.0.113.5","what":"read_events""#)
            })
        #expect(
            try run(Binary.ipnd, ["audit", "--verify", "--directory", "\(instance.folder)/audit"])
                .output.hasPrefix("ok: "))
        // Page by page.
        let newest = try boss.ask("GET", "/audit?limit=1").object()
        let next = try #require(newest["next"] as? Int)
        let older = try boss.ask("GET", "/audit?limit=1000&before=\(next)").object()
        let numbers = (older["entries"] as? [[String: Any]] ?? []).map { $0["number"] as? Int ?? 0 }
        #expect(numbers == Array((1..<next).reversed()) && older["next"] as? Int == nil)
        // The person who runs a command, too.
        let acted = try run(
            Binary.ipnd,
            ["deliveries", "resume", "silent"] + [
                "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)",
            ],
            environment: ["IPND_TOKEN_FILE": "\(instance.folder)/secrets/alice"])
        #expect(acted.status == 0, "\(acted.errors)")
        #expect(try Self.entries(instance, ["--who", "alice", "--what", "resume"]).count == 1)
        let missing = try run(
            Binary.ipnd,
            ["deliveries", "resume", "silent"] + [
                "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)",
            ], environment: ["IPND_TOKEN_FILE": "/nowhere"])
        #expect(missing.status == 66 && missing.errors.contains("/nowhere"))
    }

    @Test func `a proxy names the person and signs in nobody else`() throws {
        let instance = try Self.instance()
        let dora = try Caller(instance, ["X-Forwarded-User: dora@shop.example"])
        #expect(try dora.ask("GET", "/orders").status == 200)
        #expect(try dora.ask("POST", "/destinations/silent/pause").code == "role_insufficient")
        let page = try dora.ask("GET", "/ui/now")
        #expect(page.status == 200 && page.body.contains("dora@shop.example"))
        #expect(!page.body.contains("Sign out") && !page.body.contains("ui/audit"))
        #expect(try dora.ask("GET", "/ui/session").status == 303)
        let eve = try Caller(instance, ["X-Forwarded-User: eve"])
        #expect(try eve.ask("GET", "/orders").code == "identity_unknown")
        #expect(try eve.ask("GET", "/ui/now").status == 403)
        let evil = try Caller(instance, ["X-Forwarded-User: dora@shop.example"])
        try evil.client.send(
            "GET /orders HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-User: boss\r\n\r\n")
        #expect(try evil.client.receive().code == "host_unknown")
        let lines = try Self.entries(instance)
        #expect(lines.contains { $0.contains("identity_refused") })
        #expect(
            lines.contains {
                $0.contains(#""who":"dora@shop.example""#) && $0.contains(#""what":"pause""#)
                    && $0.contains(#""result":403"#)
            })
    }

    /// Wrong tokens count by client through the proxy, and do not lock others out.
    @Test func `a colleague's wrong tokens lock nobody out`() throws {
        let instance = try Self.instance()
        let wrong = try Caller(
            instance, ["Authorization: Bearer wrong", "X-Forwarded-For: 203.0.113.6"])
        let statuses = try (0..<12).map { _ in try wrong.ask("GET", "/orders").status }
        #expect(statuses == Array(repeating: 401, count: 10) + [429, 429])
        let other = try Caller(
            instance, ["Authorization: Bearer mistyped", "X-Forwarded-For: 203.0.113.7"])
        #expect(try other.ask("GET", "/orders").status == 401)
        let alice = try Caller(
            instance, ["Authorization: Bearer \(Self.alice)", "X-Forwarded-For: 203.0.113.6"])
        #expect(try alice.ask("GET", "/orders").status == 200)
        let lines = try Self.entries(instance, ["--what", "wrong_token"])
        #expect(lines.contains { $0.contains("203.0.113.6") })
        #expect(lines.contains { $0.contains("203.0.113.7") })
        #expect(lines.count == 2)
    }

    @Test func `the pages show who signed in and what they saw`() throws {
        let instance = try Self.instance()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "V-2").request())
        var visitor = try PageSessionTests.visitor(instance, signsIn: false)
        #expect(try visitor.signIn("mistyped").status == 403)
        #expect(try visitor.signIn(Self.boss).status == 303)
        #expect(try visitor.get("/ui/orders/antom/V-2").status == 200)
        let audit = try visitor.get("/ui/audit").body
        for text in ["boss", "Signed in", "Wrong token", "Viewed an order", "antom/V-2"] {
            #expect(audit.contains(text), "\(text)")
        }
        #expect(try visitor.get("/ui/audit?what=sign_in").body.contains("antom/V-2") == false)
        var operating = try PageSessionTests.visitor(instance, signsIn: false)
        #expect(try operating.signIn(Self.alice).status == 303)
        #expect(try operating.get("/ui/audit").status == 403)
        #expect(try operating.post("/ui/destinations/silent/pause").status == 303)
        #expect(try visitor.get("/ui/audit?who=alice").body.contains("Paused a destination"))
    }

    @Test func `without a trail no personal data is shown`() throws {
        let instance = try Self.instance()
        let boss = try Caller(instance, ["Authorization: Bearer \(Self.boss)"])
        let alice = try Caller(instance, ["Authorization: Bearer \(Self.alice)"])
        instance.stop()
        let trail = "\(instance.folder)/audit"
        try FileManager.default.removeItem(atPath: trail)
        try "".write(toFile: trail, atomically: true, encoding: .utf8)
        try instance.start()
        let answer = try Caller(instance, boss.fields).ask("GET", "/events")
        #expect(answer.status == 503 && answer.code == "audit_unavailable")
        #expect(try Caller(instance, alice.fields).ask("GET", "/events").status == 200)
        let metrics = try Caller(instance, alice.fields).ask("GET", "/metrics").body
        #expect(metrics.contains("ipnd_audit_failures_total 2"))
        #expect(instance.says("audit_unavailable"))
    }
}
