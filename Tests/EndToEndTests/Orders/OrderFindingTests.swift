import Foundation
import TestSupport
import Testing

/// Orders are found by every name that leads to them: in lists, by commands, and on the pages.
@Suite(.ownThreads) struct OrderFindingTests {
    /// ORDER-1 with a refund under its own reference, and a refund of a payment that never came.
    private static func instance(on storage: StorageKind) throws -> Instance {
        let instance = try Instance(on: storage)
        let forgery = Forgery(instance: instance)
        for delivery in [
            try forgery.opp(
                "DB", "8ac7a4a1Pay", amount: "92.00", ["merchantTransactionId": "ORDER-1"]),
            try forgery.opp(
                "RF", "8AC7A4A2REF", amount: "12.00",
                ["merchantTransactionId": "REFUND-7", "referencedId": "8ac7a4a1Pay"]),
            try forgery.opp(
                "RF", "8ac7a4a3ref", amount: "5.00",
                ["merchantTransactionId": "REFUND-8", "referencedId": "8ac7a4a9lost"]),
        ] { try instance.deliver(delivery.request()) }
        return instance
    }

    private static func listed(_ admin: AdminClient, _ query: String) throws -> [String] {
        let rows = try admin.get("/orders?\(query)").object()["orders"] as? [[String: Any]]
        return try #require(rows).map {
            $0["reference"] as? String ?? "~\($0["transaction"] as? String ?? "")"
        }
    }

    @Test(arguments: StorageKind.all)
    func `a list finds an order by every name`(on storage: StorageKind) throws {
        let instance = try Self.instance(on: storage)
        let admin = try instance.admin()
        // The last three differ in case from every name: the reference, the id in small letters
        // and the last transaction.
        for name in [
            "ORDER-1", "REFUND-7", "8ac7a4a1Pay", "8AC7A4A2REF", "order-1", "8ac7a4a2ref",
            "8AC7A4A1PAY",
        ] {
            #expect(try Self.listed(admin, "reference=\(name)") == ["ORDER-1"], "\(name)")
            #expect(try Self.listed(admin, "reference=\(name)&endpoint=opp") == ["ORDER-1"])
            #expect(try Self.listed(admin, "reference=\(name)&endpoint=antom") == [])
            #expect(try Self.listed(admin, "reference=\(name)&status=pending") == [])
        }
        for name in ["8ac7a4a9lost", "~8ac7a4a9lost", "8AC7A4A9LOST", "REFUND-8", "8ac7a4a3ref"] {
            #expect(try Self.listed(admin, "reference=\(name)") == ["~8ac7a4a9lost"], "\(name)")
        }
        for name in ["ORDER", "8ac7", "~", "%C3%A9"] {
            #expect(try Self.listed(admin, "reference=\(name)") == [], "\(name)")
        }
        #expect(try Self.listed(admin, "text=rder-") == ["ORDER-1"])
        #expect(try Self.listed(admin, "text=A9LO") == ["~8ac7a4a9lost"])
        let table = try admin.get("/orders?reference=8AC7A4A2REF", accept: "text/csv").body
        #expect(table.contains("ORDER-1") && table.split(separator: "\r\n").count == 2)
    }

    @Test(arguments: StorageKind.all)
    func `the answer about an unknown reference says where the order is`(on storage: StorageKind)
        throws
    {
        let instance = try Self.instance(on: storage)
        let admin = try instance.admin()
        func detail(_ path: String) throws -> String {
            let answer = try admin.get(path)
            #expect(answer.status == 404 && answer.code == "order_unknown", "\(path)")
            return try answer.object()["detail"] as? String ?? ""
        }
        #expect(try detail("/orders/opp/8AC7A4A2REF").hasSuffix(": /orders/opp/ORDER-1"))
        #expect(try detail("/orders/opp/8ac7a4a9lost").hasSuffix(": /orders/opp/~8ac7a4a9lost"))
        #expect(try detail("/orders/antom/ORDER-1").hasSuffix(": /orders/opp/ORDER-1"))
        #expect(try detail("/orders/opp/ORDER-2").contains("no notification"))
        // An order without a reference is opened by any of its ids.
        for id in ["8ac7a4a9lost", "8ac7a4a3ref"] {
            let order = try admin.get("/orders/opp/~\(id)").object()
            #expect(order["reference"] is NSNull && order["status"] as? String == "review")
        }
        let denied = try admin.post(
            "/orders/opp/~8ac7a4a9lost/resolve", #"{"reason":"x","last":3}"#)
        #expect(denied.status == 409 && denied.code == "order_unjoined")
    }

    @Test(arguments: StorageKind.all)
    func `an order is awaited by an ID of the provider`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let forgery = Forgery(instance: instance)
        let (unknown, known) = (try instance.admin(), try instance.admin())
        try unknown.send("GET", "/orders/opp/~PAY-1?wait=60")
        try instance.deliver(
            forgery.opp(
                "DB", "PAY-2", amount: "1.00", code: "000.200.000", ["merchantTransactionId": "B"]
            ).request())
        try known.send("GET", "/orders/opp/~PAY-2?wait=60")
        for (id, name) in [("PAY-1", "A"), ("PAY-2", "B")] {
            try instance.deliver(
                forgery.opp("DB", id, amount: "1.00", ["merchantTransactionId": name]).request())
        }
        #expect(try unknown.client.receive().object()["reference"] as? String == "A")
        #expect(try known.client.receive().object()["status"] as? String == "paid")
    }

    @Test(arguments: StorageKind.all)
    func `the command finds an order by every name`(on storage: StorageKind) throws {
        let instance = try Self.instance(on: storage)
        let server = [
            "--config", instance.configurationFile, "--url",
            "http://127.0.0.1:\(instance.adminPort)",
        ]
        var sources = [server]
        if storage == .journal { sources.append(["--journal", "\(instance.folder)/journal"]) }
        for source in sources {
            for (name, shown) in [
                ("8AC7A4A2REF", "ORDER-1"), ("order-1", "ORDER-1"), ("REFUND-7", "ORDER-1"),
                ("~8ac7a4a9lost", "8ac7a4a9lost"), ("8ac7a4a3ref", "8ac7a4a9lost"),
            ] {
                let found = try run(Binary.ipnd, ["orders", name] + source)
                #expect(found.status == 0, "\(name): \(found.errors)")
                #expect(found.output.contains(shown), "\(name): \(found.output)")
            }
            #expect(try run(Binary.ipnd, ["orders", "8ac7"] + source).status == 1)
        }
    }

    @Test func `every page searches`() throws {
        let instance = try Self.instance(on: .journal)
        let visitor = try PageSessionTests.visitor(instance)
        for page in ["now", "orders", "orders/opp/ORDER-1", "rejections", "journal", "providers"] {
            #expect(try visitor.get("/ui/\(page)").body.contains(#"name="find""#), "\(page)")
        }
        for (text, place) in [
            ("8AC7A4A2REF", "orders/opp/ORDER-1"), ("REFUND-7", "orders/opp/ORDER-1"),
            ("8ac7a4a3ref", "orders/opp/~8ac7a4a9lost"), ("rder", "orders?text=rder"),
        ] {
            let answer = try visitor.get("/ui/orders?find=\(text)")
            #expect(answer.status == 303, "\(text)")
            #expect(answer.fields["location"]?.hasSuffix(place) == true, "\(answer.fields)")
        }
    }
}
