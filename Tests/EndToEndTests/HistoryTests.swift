import Foundation
import TestSupport
import Testing

/// A journal whose records carry the interpretation of simpler rules (History/README.md): it opens,
/// the present order rules apply to its events, and differences in the interpretation of the stored
/// bytes become corrections.
@Suite(.ownThreads) struct HistoryTests {
    private func instance() throws -> Instance { try .history() }

    private func reread(_ instance: Instance, _ arguments: String...) throws -> Finished {
        try run(
            Binary.ipnd,
            ["journal", "reread", instance.journal, "--config", instance.configurationFile]
                + arguments)
    }

    /// `status captured refunded` of each order, by reference. Checks that the list and the order's
    /// own page agree.
    private func orders(_ instance: Instance) throws -> [String: String] {
        let admin = try instance.admin()
        var all: [[String: Any]]?
        // 503 until the index is up to date.
        _ = try eventually {
            all = try admin.get("/orders?limit=100").object()["orders"] as? [[String: Any]]
            return all != nil
        }
        let listed = try #require(all)
        var found: [String: String] = [:]
        for order in listed {
            let reference = try #require(order["reference"] as? String)
            let endpoint = try #require(order["endpoint"] as? String)
            let page = try admin.get("/orders/\(endpoint)/\(reference)").object()
            #expect(summary(page) == summary(order), "the list and the page of \(reference)")
            found[reference] = summary(page)
        }
        return found
    }

    private func summary(_ order: [String: Any]) -> String {
        func minor(_ name: String) -> String {
            (order[name] as? [String: Any])?["minor"].map { "\($0)" } ?? "-"
        }
        return "\(order["status"] ?? "") \(minor("captured")) \(minor("refunded"))"
    }

    @Test func `it opens and today's order rules apply`() throws {
        let instance = try instance()
        try instance.start()
        let orders = try orders(instance)
        #expect(orders["ORDER-1"] == "partially_refunded 4200 1000")
        #expect(orders["ORDER-6"] == "paid 2200 0")
        // As the record interprets the notification: only a correction changes that.
        #expect(orders["ORDER-4"] == "paid 516 0")
        #expect(orders["refund-1"] == nil, "it is one order now")
        // An alias names the order; it is not a separate order.
        let alias = try instance.admin().get("/orders/opp/refund-1")
        #expect(alias.status == 404)
        #expect(alias.body.contains(#""aliasOf":"ORDER-1""#))
        // The list also finds the order by its alias.
        let found = try #require(
            try instance.admin().get("/orders?reference=refund-1").object()["orders"]
                as? [[String: Any]])
        #expect(found.map { $0["reference"] as? String } == ["ORDER-1"])
    }

    private static let corrected = [
        "ORDER-1": "partially_refunded 4200 1000", "ORDER-2": "canceled 0 0",
        "ORDER-3": "paid 4200 0", "ORDER-4": "review 258 0",
        "ORDER-5": "partially_refunded 100 50", "ORDER-6": "paid 2200 0",
        "ORDER-7": "expired 0 0", "ORDER-8": "canceled 0 0",
    ]

    @Test func `what is read differently is listed and corrected once`() throws {
        let instance = try instance()
        let listed = try reread(instance)
        #expect(listed.status == 0, "\(listed.errors)")
        #expect(listed.output.contains("17 records, 15 interpreted differently, 0 could not be"))
        #expect(listed.output.contains("9 citcon-pay: status paid -> unsigned_claim"))
        #expect(listed.output.contains("1 opp: ids account -> anything\n"))
        #expect(try reread(instance).output == listed.output, "listing changes nothing")

        let applied = try reread(instance, "--apply")
        #expect(applied.status == 0, "\(applied.errors)")
        #expect(applied.output.contains("15 corrections appended"))
        let again = try reread(instance, "--apply")
        #expect(again.output.contains("17 records, 0 interpreted differently"))
        #expect(!again.output.contains("appended"))

        try instance.start()
        #expect(try orders(instance) == Self.corrected)
        let admin = try instance.admin()
        let events = try #require(
            try admin.get("/events?after=17&limit=100").object()["events"] as? [[String: Any]])
        #expect(
            events.map { $0["corrects"] as? Int }
                == [1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13, 14, 15, 16, 17])
        #expect(
            events.allSatisfy {
                ($0["event"] as? [String: Any])?["kind"] as? String == "correction"
            })
        let expired = try admin.get("/orders/antom/ORDER-7").object()
        #expect((expired["reason"] as? [String: Any])?["code"] as? String == "ORDER_IS_CLOSED")
    }

    @Test func `after corrections a retry is a repetition and a restart changes nothing`() throws {
        let instance = try instance()
        #expect(try reread(instance, "--apply").status == 0)
        let copy = "\(instance.folder)/sent"
        try FileManager.default.copyItem(atPath: instance.journal, toPath: copy)
        try instance.start()
        let sent = try run(
            Binary.ipnd, ["replay", copy, "--url", "http://127.0.0.1:\(instance.port)"])
        #expect(sent.status == 0, "\(sent.output)\(sent.errors)")
        let page = try instance.admin().get("/events?after=32&limit=1").object()
        #expect((page["events"] as? [Any])?.isEmpty == true, "nothing was recorded twice")
        for _ in 0..<2 {
            #expect(try orders(instance) == Self.corrected)
            instance.stop()
            try FileManager.default.removeItem(atPath: "\(instance.folder)/index")
            try instance.start()
        }
        instance.stop()
        let verified = try run(
            Binary.ipnd,
            ["journal", "verify", instance.journal, "--config", instance.configurationFile])
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        #expect(verified.output.contains("signatures   17 verified, 0 failed"))
    }

    @Test func `a server's journal is not corrected behind its back`() throws {
        let instance = try instance()
        try instance.start()
        let refused = try reread(instance, "--apply")
        #expect(refused.status == 72, "\(refused.output)")
        #expect(try reread(instance).status == 0, "listing needs no lock")
    }

    @Test func `a key that is gone is said`() throws {
        let instance = try instance()
        try "00\n".write(
            toFile: "\(instance.folder)/secrets/citcon", atomically: true, encoding: .utf8)
        let listed = try reread(instance)
        #expect(listed.status == 1)
        #expect(listed.output.contains("3 could not be reinterpreted"))
        #expect(listed.output.contains("10 citcon: its endpoint or key is no longer configured"))
    }

    /// Only a snapshot has the records that retention has deleted.
    @Test func `where the beginning is gone its snapshot is taken`() throws {
        let instance = try Instance.history()
        let last = try instance.loseTheBeginning()
        try instance.start()
        let admin = try instance.admin()
        func order(_ place: String) throws -> String {
            summary(try admin.get("/orders/\(place)").object())
        }
        #expect(try order("opp/ORDER-1") == "partially_refunded 4200 1000")
        #expect(try order("antom/ORDER-6") == "paid 2200 0")
        #expect(try order("hmac/FILL-1") == "paid 4200 0")
        #expect(try order("hmac/FILL-22") == "paid 4200 0")
        // Its dedup index, too.
        let sent = try run(
            Binary.ipnd, ["replay", instance.journal, "--url", "http://127.0.0.1:\(instance.port)"])
        #expect(sent.status == 0, "\(sent.output)\(sent.errors)")
        let page = try admin.get("/events?after=\(last)&limit=1").object()
        #expect((page["events"] as? [Any])?.isEmpty == true)
        instance.stop()
        #expect(try reread(instance, "--apply").status == 0, "nothing to correct in what is left")
    }
}
