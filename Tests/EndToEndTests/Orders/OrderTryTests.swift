import Foundation
import TestSupport
import Testing

/// Several tries to pay one order, each with a reference of its own, are one order of the shop's.
@Suite(.ownThreads) struct OrderTryTests {
    @Test(arguments: StorageKind.all)
    func `tries are one order whichever came first`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let sender = try SignedWebhook(instance)
        let admin = try instance.admin()
        // The payment of the second try comes before its registration.
        #expect(try Self.register(admin, "hmac/SHOP-77-1").status == 201)
        try instance.deliver(sender.request("SHOP-77-2", transaction: "PAY-2"))
        #expect(try admin.get("/orders/hmac/SHOP-77").object()["status"] as? String == "pending")
        let tied = try Self.register(admin, "hmac/SHOP-77-2")
        #expect(tied.status == 201)
        #expect(try tied.object()["reference"] as? String == "SHOP-77")
        #expect(try Self.register(admin, "hmac/SHOP-77-2").status == 200)
        try expect(admin, status: "paid", flags: [], captured: 4200)
        try instance.deliver(sender.request("SHOP-77-1", transaction: "PAY-1"))
        try expect(admin, status: "paid", flags: ["paid_twice"], captured: 8400)

        let isListed = try eventually {
            let list = try admin.get("/orders?endpoint=hmac").object()["orders"] as? [[String: Any]]
            return list?.compactMap { $0["reference"] as? String } == ["SHOP-77"]
                && (list?.first?["expected"] as? [String: Any])?["amount"] != nil
        }
        #expect(isListed)
        let records = try instance.records().map { ($0["order"] as? [String: Any])?["reference"] }
        #expect(records.compactMap { $0 as? String }.last == "SHOP-77")

        instance.stop(SIGKILL)
        try instance.start()
        try expect(
            try instance.admin(), status: "paid", flags: ["paid_twice"], captured: 8400)
        #expect(try Self.register(try instance.admin(), "hmac/SHOP-77-1").status == 200)
    }

    @Test func `send says whose try it paid`() throws {
        let instance = try Instance()
        #expect(try Self.register(try instance.admin(), "hmac/SHOP-77-1").status == 201)
        let send = [
            "send", "--config", instance.configurationFile, "--endpoint", "hmac", "--url",
            "http://127.0.0.1:\(instance.port)", "--admin",
            "http://127.0.0.1:\(instance.adminPort)", "--reference", "SHOP-77-1",
        ]
        let text = try run(Binary.ipnd, send).output
        #expect(text.contains("SHOP-77-1, a try of SHOP-77, is paid: captured 42.00"), "\(text)")
        let lines = try run(Binary.ipnd, send + ["--json"]).lines
        #expect(
            lines.contains { $0.contains(#""reference":"SHOP-77-1","order":"SHOP-77""#) },
            "\(lines)")
    }

    @Test func `what cannot be a try is refused`() throws {
        let instance = try Instance()
        let admin = try instance.admin()
        #expect(try Self.register(admin, "ecommpay/T-1").code == "tries_apart")
        #expect(try Self.register(admin, "hmac/T-1", of: "").code == "expectation_invalid")
        #expect(try Self.register(admin, "hmac/T-1", of: #"\u0007"#).code == "expectation_invalid")
        #expect(try Self.register(admin, "hmac/T-1").status == 201)
        #expect(try Self.register(admin, "hmac/T-1", of: "OTHER").code == "expectation_differs")
        for number in 2...15 {
            #expect(try Self.register(admin, "hmac/T-\(number)").status == 201)
        }
        #expect(try Self.register(admin, "hmac/T-16").code == "tries_full")
        #expect(try admin.get("/orders/hmac/T-16").status == 404)
    }

    /// The shop asks by its own number; the provider knows the tries.
    @Test(arguments: StorageKind.all)
    func `each try is asked about`(on storage: StorageKind) throws {
        let provider = try AskedProvider()
        provider.say("success", of: "R-2")
        let instance = try Instance(
            on: storage,
            edit: { provider.edit($0, "schedule: [0.3], secondsPerQuestion: 0.01") })
        let admin = try instance.admin()
        for reference in ["R-1", "R-2"] {
            #expect(try Self.register(admin, "citcon-pay/\(reference)").status == 201)
        }
        #expect(
            try eventually { try instance.status("SHOP-77") == "paid" }, "\(instance.logText)")
        #expect(provider.count(of: "R-1") > 0)
        #expect(instance.stop() == 0)
    }

    private static func register(
        _ admin: AdminClient, _ path: String, of order: String = "SHOP-77"
    ) throws -> HTTPAnswer {
        try admin.post(
            "/orders/\(path)",
            #"{"amount":{"minor":4200,"currency":"MYR"},"order":"\#(order)"}"#)
    }

    /// Asks by the shop's number and by each try.
    private func expect(
        _ admin: AdminClient, status: String, flags: [String], captured: Int
    ) throws {
        for name in ["SHOP-77", "SHOP-77-1", "SHOP-77-2"] {
            let order = try admin.get("/orders/hmac/\(name)").object()
            #expect(order["reference"] as? String == "SHOP-77")
            #expect(order["tries"] as? [String] == ["SHOP-77-1", "SHOP-77-2"])
            #expect(order["status"] as? String == status)
            #expect(order["flags"] as? [String] == flags)
            #expect((order["captured"] as? [String: Any])?["minor"] as? Int == captured)
        }
    }
}
