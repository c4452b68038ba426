import Foundation
import TestSupport
import Testing

/// Routes of a single order: reading, waiting and registering an expectation.
@Suite(.ownThreads) struct OrderRouteTests {
    static let expectation = #"{"amount":{"minor":4200,"currency":"MYR"}}"#

    @Test(arguments: StorageKind.all)
    func `an unknown order is not found until its notification comes`(on storage: StorageKind)
        throws
    {
        let instance = try Instance(on: storage)
        let admin = try instance.admin()
        let before = try admin.get("/orders/antom/R-1")
        #expect(before.status == 404)
        #expect(before.code == "order_unknown")
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "R-1").request())
        let order = try admin.get("/orders/antom/R-1").object()
        #expect(order["status"] as? String == "paid")
        #expect(order["sequences"] as? [Int] == [1])
    }

    @Test(arguments: StorageKind.all)
    func `a held request is answered when the order is paid`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(.pending, reference: "R-2").request())
        let held = try instance.admin()
        try held.send("GET", "/orders/antom/R-2?wait=60")
        // Another connection is served while the long poll is held.
        #expect(
            try instance.admin().get("/orders/antom/R-2").object()["status"] as? String == "pending"
        )
        #expect(held.client.buffer.isEmpty)
        try instance.deliver(antom.delivery(.paid, reference: "R-2").request())
        #expect(try held.client.receive().object()["status"] as? String == "paid")
    }

    @Test(arguments: StorageKind.all)
    func `an order that nobody has heard of is waited for too`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let held = try instance.admin()
        try held.send("GET", "/orders/antom/R%2F3?wait=60")
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "R/3").request())
        let order = try held.client.receive().object()
        #expect(order["reference"] as? String == "R/3")
        #expect(order["status"] as? String == "paid")
    }

    @Test(arguments: StorageKind.all)
    func `when the time is up the answer is what is known`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let admin = try instance.admin()
        #expect(try admin.get("/orders/antom/R-4?wait=1").status == 404)
        _ = try admin.post("/orders/antom/R-4", Self.expectation)
        let order = try admin.get("/orders/antom/R-4?wait=1").object()
        #expect(order["status"] as? String == "pending")
    }

    @Test(arguments: StorageKind.all)
    func `a stop answers whoever is held`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        _ = try instance.admin().post("/orders/antom/R-5", Self.expectation)
        let known = try instance.admin()
        let unknown = try instance.admin()
        try known.send("GET", "/orders/antom/R-5?wait=60")
        try unknown.send("GET", "/orders/antom/R-6?wait=60")
        // Both are held once a later request has been answered on each event loop.
        for _ in 0..<4 { _ = try instance.admin().get("/healthz") }
        #expect(instance.stop() == 0)
        #expect(try known.client.receive().object()["status"] as? String == "pending")
        let answer = try unknown.client.receive()
        #expect(answer.status == 503)
        #expect(answer.code == "shutting_down")
    }

    @Test(arguments: StorageKind.all)
    func `an expectation is journaled once`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let admin = try instance.admin()
        let body =
            #"{"amount":{"minor":9900,"currency":"MYR"},"expires":"2099-01-01T00:00:00Z","#
            + #""metadata":{"b":1,"a":[true]}}"#
        let first = try admin.post("/orders/antom/E-1", body)
        #expect(first.status == 201)
        #expect(try first.object()["status"] as? String == "pending")
        // The same order, with the path encoded differently.
        let spelt =
            #"{"metadata":{"a":[true],"b":1}, "expires":"2099-01-01T08:00:00+08:00", "#
            + #""amount":{"currency":"MYR","minor":9900}}"#
        #expect(try admin.post("/orders/antom/E-1", spelt).status == 200)
        let other = try admin.post("/orders/antom/E-1", Self.expectation)
        #expect(other.status == 409)
        #expect(other.code == "expectation_differs")
        let records = try instance.records()
        #expect(records.count == 1)
        #expect(records[0]["outcome"] as? String == "recorded")
        let event = try #require(records[0]["event"] as? [String: Any])
        #expect(event["kind"] as? String == "expectation")
        let kept = try #require(event["expectation"] as? [String: Any])
        #expect((kept["metadata"] as? [String: Any])?["b"] as? Int == 1)
        // A restart rebuilds the expectation from the journal, which still verifies.
        instance.stop()
        if storage == .journal {
            let verified = try run(
                Binary.ipnd,
                ["journal", "verify", instance.journal, "--config", instance.configurationFile])
            #expect(verified.status == 0, "\(verified.errors)")
        }
        try instance.start()
        #expect(try instance.admin().post("/orders/antom/E-1", body).status == 200)
        #expect(try instance.admin().post("/orders/antom/E-1", Self.expectation).status == 409)
        let order = try #require(try instance.order("antom", "E-1"))
        #expect(
            ((order["expected"] as? [String: Any])?["amount"] as? [String: Any])?["minor"] as? Int
                == 9900)
    }

    @Test(arguments: [true, false], StorageKind.all)
    func `a payment that contradicts the expectation is for review`(
        _ isExpectedFirst: Bool, on storage: StorageKind
    ) throws {
        let instance = try Instance(on: storage)
        let admin = try instance.admin()
        let antom = try SandboxProvider("antom", of: instance)
        let payment = try antom.delivery(reference: "E-2", minor: 1).request()
        if !isExpectedFirst { try instance.deliver(payment) }
        #expect(try admin.post("/orders/antom/E-2", Self.expectation).status == 201)
        if isExpectedFirst { try instance.deliver(payment) }
        let order = try admin.get("/orders/antom/E-2").object()
        #expect(order["status"] as? String == "review")
        #expect(order["flags"] as? [String] == ["amount_unexpected"])
    }

    static let mistakes: [(String, String)] = [
        ("", "json_empty"), ("{", "json_truncated"), ("[]", "expectation_invalid"),
        ("{}", "expectation_invalid"),
        (#"{"amount":{"minor":-1,"currency":"MYR"}}"#, "expectation_invalid"),
        (#"{"amount":{"minor":1.5,"currency":"MYR"}}"#, "expectation_invalid"),
        (#"{"amount":{"minor":1,"currency":"myr"}}"#, "expectation_invalid"),
        (#"{"amount":{"minor":1,"currency":"MYR"},"expires":"soon"}"#, "expectation_invalid"),
        (#"{"amount":{"minor":1,"currency":"MYR"},"expiry":null}"#, "expectation_invalid"),
        (#"{"amount":{"minor":1,"currency":"MYR"},"metadata":[]}"#, "expectation_invalid"),
    ]

    /// The same limits apply to both: a reference that a notification cannot have is rejected at
    /// once.
    @Test(arguments: StorageKind.all)
    func `a reference is as long as a notification may have it`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let admin = try instance.admin()
        let antom = try SandboxProvider("antom", of: instance)
        for (reference, fits) in [
            (String(repeating: "r", count: 256), true), (String(repeating: "r", count: 257), false),
            (String(repeating: "é", count: 128), true), (String(repeating: "é", count: 129), false),
        ] {
            let path = "/orders/antom/\(reference.replacing("é", with: "%C3%A9"))"
            let answer = try admin.post(path, Self.expectation)
            #expect(answer.status == (fits ? 201 : 400))
            if !fits { #expect(answer.code == "reference_invalid") }
            try instance.deliver(antom.delivery(.paid, reference: reference).request())
            #expect(try admin.get(path).status == (fits ? 200 : 404))
        }
    }

    @Test(arguments: StorageKind.all)
    func `a bad expectation is refused with its reason`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let admin = try instance.admin()
        for (body, code) in Self.mistakes {
            let answer = try admin.post("/orders/antom/E-3", body)
            #expect(answer.status == 400, "\(body)")
            #expect(answer.code == code, "\(body)")
        }
        #expect(try instance.records().isEmpty)
    }
}
