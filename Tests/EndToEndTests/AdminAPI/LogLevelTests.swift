import Foundation
import Providers
import TestSupport
import Testing

/// The level of each log line, and how often a repeated cause is logged.
@Suite(.ownThreads) struct LogLevelTests {
    private static func instance(_ log: String) throws -> Instance {
        try Instance(edit: { $0 + "\nlog: {\(log), format: json}\n" })
    }

    private static func lines(_ instance: Instance) throws -> [[String: Any]] {
        try instance.logText.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `a refusal that repeats is one line and a count`() throws {
        let instance = try Self.instance("repeatSeconds: 1")
        let citcon = try SandboxProvider("citcon", of: instance)
        let client = try instance.client()
        let bad = try citcon.delivery(reference: "R-1").replacing(body: Array("{}".utf8))
        for _ in 0..<200 {
            try client.send(bad.request())
            #expect(try client.receive().status == 401)
        }
        var told = 0
        let isWhole = try eventually {
            let about = try Self.lines(instance).filter {
                $0["reason"] as? String == "sign_missing"
            }
            told = about.filter { $0["message"] as? String == "refused" }.count
            return about.reduce(told) { $0 + ($1["count"] as? Int ?? 0) } == 200
        }
        #expect(isWhole, "\(instance.logText)")
        #expect((1..<50).contains(told))
        let count = try #require(try Self.lines(instance).first { $0["count"] != nil })
        #expect(count["message"] as? String == "repeated" && count["level"] as? String == "warning")
        #expect(count["endpoint"] as? String == "citcon" && count["seconds"] as? Int == 1)
        let metrics = try instance.admin().get("/metrics").body
        #expect(
            metrics.contains(#"ipnd_refusals_total{endpoint="citcon",reason="sign_missing"} 200"#))
    }

    @Test func `conflict and review are warnings and their duplicates are not`() throws {
        let instance = try Self.instance("level: warning")
        let antom = try SandboxProvider("antom", of: instance)
        for (type, reference, minor) in [
            (.paid, "PLAIN", 100), (.paid, "TWO", 4200), (.paid, "TWO", 4100),
            (.paid, "TWO", 4100), (.refunded, "EARLY", 100),
        ] as [(EventType, String, Int64)] {
            try instance.deliver(
                antom.delivery(type, reference: reference, minor: minor).request())
        }
        instance.stop()
        let told = try Self.lines(instance).filter { $0["message"] as? String == "notification" }
        #expect(told.map { $0["outcome"] as? String } == ["conflict", "recorded"])
        #expect(told.map { $0["status"] as? String } == ["review", "review"])
        #expect(told.allSatisfy { $0["level"] as? String == "warning" })
    }

    @Test(arguments: ["info", "debug"])
    func `a proxy that resets an idle connection is no refusal`(_ level: String) throws {
        let instance = try Self.instance("level: \(level)")
        let citcon = try SandboxProvider("citcon", of: instance)
        let admin = try instance.admin()
        // One connection after an answer, one before any request.
        for delivers in [true, false] {
            try Self.reset(try instance.client(), admin) { client in
                guard delivers else { return }
                try client.send(citcon.delivery(reference: "IDLE").request())
                #expect(try client.receive().status == 200)
            }
        }
        #expect(try !admin.get("/metrics").body.contains("connection_reset"))
        instance.stop()
        let closed = try Self.lines(instance).filter {
            $0["reason"] as? String == "connection_reset"
        }
        #expect(closed.count == (level == "debug" ? 2 : 0), "\(instance.logText)")
        #expect(closed.allSatisfy { $0["level"] as? String == "debug" })
    }

    @Test func `a reset in the middle of a request is a refusal`() throws {
        let instance = try Self.instance("level: info")
        let citcon = try SandboxProvider("citcon", of: instance)
        let admin = try instance.admin()
        try Self.reset(try instance.client(), admin) { client in
            // The answer to the first request shows that the start of the second was read with it.
            let begun = Array("POST /ipn/citcon HTTP/1.1\r\nHost: ".utf8)
            try client.send(citcon.delivery(reference: "CUT").request() + begun)
            #expect(try client.receive().status == 200)
        }
        let line = #"ipnd_refusals_total{endpoint="",reason="connection_reset"} 1"#
        #expect(try eventually { try admin.get("/metrics").body.contains(line) })
    }

    /// Resets the only connection after `action` and waits until the server has noticed.
    private static func reset(
        _ client: consuming Client, _ admin: AdminClient, _ action: (Client) throws -> Void
    ) throws {
        func waitFor(_ count: Int) throws {
            #expect(
                try eventually {
                    try admin.get("/metrics").body.contains("\nipnd_connections \(count)\n")
                })
        }
        try waitFor(1)
        try action(client)
        client.resetAtEnd()
        _ = consume client
        try waitFor(0)
    }
}
