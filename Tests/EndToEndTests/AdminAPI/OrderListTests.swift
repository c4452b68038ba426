import Foundation
import Providers
import TestSupport
import Testing

/// The order list: filters, pages, exports and its index.
@Suite(.ownThreads) struct OrderListTests {
    /// Creates an instance with indexed orders. Every third is pending, every fifth is in yen.
    private static func instance(
        orders count: Int, on storage: StorageKind
    ) throws -> Instance {
        let instance = try Instance(on: storage)
        let antom = try SandboxProvider("antom", of: instance)
        let client = try instance.client()
        for number in 1...count {
            let isYen = number % 5 == 0
            try client.send(
                antom.delivery(
                    number % 3 == 0 ? .pending : .paid, reference: "L-\(number)",
                    minor: Int64(number) * 100, currency: isYen ? "JPY" : "MYR"
                ).request())
            try #require(try client.receive().status == 200)
        }
        try waitForIndex(instance, count)
        return instance
    }

    private static func waitForIndex(_ instance: Instance, _ sequence: Int) throws {
        let admin = try instance.admin()
        let isThere = try eventually {
            try admin.get("/orders?limit=1").object()["indexed"] as? Int == sequence
        }
        try #require(isThere)
    }

    private static func references(_ answer: HTTPAnswer) throws -> [String] {
        let orders = try #require(try answer.object()["orders"] as? [[String: Any]])
        return orders.compactMap { $0["reference"] as? String }
    }

    @Test(arguments: StorageKind.all)
    func `the filters and pages give what they say`(on storage: StorageKind) throws {
        let instance = try Self.instance(orders: 30, on: storage)
        let admin = try instance.admin()
        let all = (1...30).reversed().map { "L-\($0)" }
        #expect(try Self.references(admin.get("/orders")) == all)
        #expect(
            try Self.references(admin.get("/orders?status=pending"))
                == stride(from: 30, to: 0, by: -3).map { "L-\($0)" })
        #expect(try Self.references(admin.get("/orders?status=pending,paid&endpoint=antom")) == all)
        #expect(try Self.references(admin.get("/orders?endpoint=opp")) == [])
        #expect(
            try Self.references(admin.get("/orders?currency=JPY&amountMin=1000&amountMax=2000"))
                == ["L-20", "L-15", "L-10"])
        #expect(
            try Self.references(admin.get("/orders?text=-2&limit=3")) == ["L-29", "L-28", "L-27"])
        #expect(try Self.references(admin.get("/orders?reference=L-2")) == ["L-2"])
        #expect(try Self.references(admin.get("/orders?to=2020-01-01T00:00:00Z")) == [])
        #expect(
            try Self.references(admin.get("/orders?from=2020-01-01T00%3A00%3A00%2B08%3A00")) == all)
        // Paging is stable while orders change.
        var paged: [String] = []
        var cursor: String?
        repeat {
            let next = cursor.map { "&cursor=\($0)" } ?? ""
            let page = try admin.get("/orders?limit=7\(next)")
            paged += try Self.references(page)
            cursor = try page.object()["next"] as? String
            let antom = try SandboxProvider("antom", of: instance)
            try instance.deliver(antom.delivery(reference: "L-\(3 * (paged.count / 7))").request())
        } while cursor != nil
        #expect(paged == all)
    }

    @Test(arguments: StorageKind.all)
    func `exports hold every order in both forms`(on storage: StorageKind) throws {
        let instance = try Self.instance(orders: 12, on: storage)
        let admin = try instance.admin()
        let csv = try admin.get("/orders", accept: "text/csv")
        #expect(csv.fields["content-type"]?.hasPrefix("text/csv") == true)
        let lines = csv.body.components(separatedBy: "\r\n")
        #expect(lines[0].hasPrefix("endpoint,reference,status,amount,currency,minor"))
        #expect(lines.count == 12 + 2)
        #expect(lines[1].hasPrefix("antom,L-12,pending,12.00,MYR,1200,"))
        #expect(lines[3].hasPrefix("antom,L-10,paid,1000,JPY,1000,"))
        let ndjson = try admin.get("/orders?status=paid", accept: "application/x-ndjson")
        let objects = try ndjson.body.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(objects.count == 8)
        #expect(objects.allSatisfy { $0?["status"] as? String == "paid" })
    }

    @Test(arguments: StorageKind.all)
    func `overdue orders are those expected and not settled`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let admin = try instance.admin()
        let past =
            #"{"amount":{"minor":4200,"currency":"MYR"},"expires":"2020-01-01T00:00:00Z","#
            + #""metadata":{"cart":7}}"#
        let future = #"{"amount":{"minor":4200,"currency":"MYR"},"expires":"2099-01-01T00:00:00Z"}"#
        _ = try admin.post("/orders/antom/O-1", past)
        _ = try admin.post("/orders/antom/O-2", past)
        _ = try admin.post("/orders/antom/O-3", future)
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "O-2").request())
        try Self.waitForIndex(instance, 4)
        let list = try admin.get("/orders?flag=overdue")
        #expect(try Self.references(list) == ["O-1"])
        let order = try #require((try list.object()["orders"] as? [[String: Any]])?.first)
        #expect(order["flags"] as? [String] == ["overdue"])
        let expected = try #require(order["expected"] as? [String: Any])
        #expect((expected["metadata"] as? [String: Any])?["cart"] as? Int == 7)
        #expect(try admin.get("/orders/antom/O-1").object()["flags"] as? [String] == ["overdue"])
        #expect(try admin.get("/orders/antom/O-2").object()["status"] as? String == "paid")
    }

    /// The index is rebuilt with the same content after it was deleted, damaged, or replaced by
    /// that of another journal.
    @Test func `an index that is rebuilt is equal`() throws {
        let instance = try Instance()
        let antom = try SandboxProvider("antom", of: instance)
        for number in 1...20 {
            let reference = "I-\(number % 7)"
            let type: EventType = number % 2 == 0 ? .paid : .refunded
            let delivery = try antom.delivery(
                type, reference: reference, minor: 100, number: number)
            try instance.deliver(delivery.request())
        }
        let count = try instance.records().count
        try Self.waitForIndex(instance, count)
        let before = try instance.admin().get("/orders", accept: "application/x-ndjson").body
        #expect(before.contains("I-3"))
        let file = "\(instance.folder)/index/orders.sqlite"
        let spoils: [() throws -> Void] = [
            { try FileManager.default.removeItem(atPath: "\(instance.folder)/index") },
            {
                try Data("not a database, but longer than nothing".utf8).write(
                    to: URL(fileURLWithPath: file))
            },
            {
                let other = try OrderListTests.instance(orders: 3, on: .journal)
                other.stop()
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: file + suffix)
                    try? FileManager.default.copyItem(
                        atPath: "\(other.folder)/index/orders.sqlite\(suffix)",
                        toPath: file + suffix)
                }
            },
            {},
        ]
        for spoil in spoils {
            instance.stop()
            try spoil()
            try instance.start()
            try Self.waitForIndex(instance, count)
            #expect(
                try instance.admin().get("/orders", accept: "application/x-ndjson").body == before)
        }
    }
}

/// A client that has received an event finds the order in the list.
@Suite(.ownThreads) struct OrderListFreshnessTests {
    @Test(arguments: StorageKind.all)
    func `what was accepted is listed at once`(_ storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let antom = try SandboxProvider("antom", of: instance)
        let (client, admin) = (try instance.client(), try instance.admin())
        var missing: [Int] = []
        for number in 1...100 {
            try client.send(antom.delivery(reference: "NOW-\(number)").request())
            try #require(try client.receive().status == 200)
            let target = "/orders?limit=1"
            let body =
                number % 2 == 0
                ? try admin.get(target).body : try admin.get(target, accept: "text/csv").body
            if !body.contains("NOW-\(number)") { missing.append(number) }
        }
        #expect(missing.isEmpty)
        let sent = try run(
            Binary.ipnd,
            [
                "send", "--config", instance.configurationFile, "--endpoint", "antom", "--url",
                "http://127.0.0.1:\(instance.port)", "--reference", "CLI",
            ])
        let listed = try run(
            Binary.ipnd,
            [
                "orders", "--config", instance.configurationFile, "--url",
                "http://127.0.0.1:\(instance.adminPort)", "--limit", "1",
            ])
        #expect(sent.status == 0 && listed.output.contains("CLI"), "\(listed)")
    }
}
