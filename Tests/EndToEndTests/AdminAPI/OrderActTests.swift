import Foundation
import TestSupport
import Testing

/// People's actions through the admin API: recorded with actor and reason, and shown with the
/// order.
@Suite(.ownThreads) struct OrderActTests {
    /// An order that was reported as paid with two amounts.
    private static func doubt(_ reference: String, _ instance: Instance) throws {
        let antom = try SandboxProvider("antom", of: instance)
        for amount in [4200, 9900] {
            try instance.deliver(
                antom.delivery(reference: reference, minor: Int64(amount)).request())
        }
    }

    @Test(arguments: StorageKind.all)
    func `a review is resolved by one person and reopened by a later fact`(on storage: StorageKind)
        throws
    {
        let instance = try Instance(on: storage)
        try Self.doubt("A-1", instance)
        let admin = try instance.admin()
        let path = "/orders/antom/A-1"
        let review = try admin.get(path).object()
        #expect(review["status"] as? String == "review")
        #expect(review["last"] as? Int == 2)
        let mistakes: [(String, Int, String)] = [
            (#"{"reason":"x"}"#, 400, "resolution_invalid"),
            (#"{"reason":"","last":2}"#, 400, "resolution_invalid"),
            (#"{"reason":"a\u0000b","last":2}"#, 400, "resolution_invalid"),
            (#"{"last":2}"#, 400, "resolution_invalid"),
            (#"{"reason":"x","last":2,"status":"review"}"#, 400, "resolution_invalid"),
            (#"{"reason":"x","last":2,"sum":1}"#, 400, "resolution_invalid"),
            (#"{"reason":"x","last":1}"#, 409, "order_changed"),
            (#"{"reason":"x","last":2,"status":"refunded"}"#, 409, "status_differs"),
        ]
        for (body, status, code) in mistakes {
            let answer = try admin.post("\(path)/resolve", body)
            #expect(answer.status == status && answer.code == code, "\(body): \(answer.body)")
        }
        #expect(try admin.post("/orders/antom/A-9/resolve", mistakes[6].0).status == 404)
        let resolved = try admin.post("\(path)/resolve", #"{"reason":"called them","last":2}"#)
        #expect(resolved.status == 200, "\(resolved.body)")
        let order = try admin.get(path).object()
        #expect(order["status"] as? String == "paid")
        #expect((order["flags"] as? [String])?.contains("resolved") == true)
        #expect(order["sequences"] as? [Int] == [1, 2, 3])
        let resolution = try #require(order["resolution"] as? [String: Any])
        #expect(resolution["by"] as? String == "admin")
        #expect(resolution["reason"] as? String == "called them")
        #expect(resolution["stands"] as? Bool == true)
        let second = try admin.post("\(path)/resolve", #"{"reason":"me, too","last":2}"#)
        #expect(second.code == "order_changed")
        let isListed = try eventually {
            try admin.get("/orders?flag=resolved&reference=A-1").body
                .contains(#""status":"paid""#)
        }
        #expect(isListed)
        let page = try admin.get("/events?after=2").body
        #expect(page.contains(#""kind":"action","status":"resolve","reference":"A-1""#))
        #expect(page.contains(#""by":"admin","remote":"127.0.0.1","reason":"called them""#))
        instance.stop()
        try instance.start()
        let again = try instance.admin()
        #expect(try again.get(path).object()["status"] as? String == "paid")
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "A-1", minor: 100).request())
        let reopened = try again.get(path).object()
        #expect(reopened["status"] as? String == "review")
        #expect((reopened["flags"] as? [String])?.contains("reopened") == true)
        #expect((reopened["resolution"] as? [String: Any])?["stands"] as? Bool == false)
    }

    @Test(arguments: StorageKind.all)
    func `an expectation is corrected until something is paid`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let admin = try instance.admin()
        let path = "/orders/antom/C-1"
        #expect(
            try admin.post("\(path)/correct", Self.correction(9900, last: 1)).code
                == "order_unknown")
        _ = try admin.post(
            path,
            #"{"amount":{"minor":4200,"currency":"MYR"},"expires":"2030-01-01T00:00:00Z"}"#)
        #expect(
            try admin.post("\(path)/correct", Self.correction(9900, last: 7)).code
                == "order_changed")
        let corrected = try admin.post("\(path)/correct", Self.correction(9900, last: 1))
        #expect(corrected.status == 200, "\(corrected.body)")
        let expected = try corrected.object()["expected"] as? [String: Any]
        #expect((expected?["amount"] as? [String: Any])?["minor"] as? Int == 9900)
        #expect(expected?["expires"] == nil, "it was left out")
        #expect(try admin.post(path, Self.expectation(9900)).status == 200)
        #expect(try admin.post(path, Self.expectation(4200)).status == 409)
        let page = try admin.get("/events?after=1").body
        #expect(page.contains(#""replaces":1},"expectation":{"amount":{"minor":9900"#))
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "C-1", minor: 9900).request())
        let order = try admin.get(path).object()
        #expect(order["status"] as? String == "paid")
        #expect(
            try admin.post("\(path)/correct", Self.correction(4200, last: 3)).code
                == "already_paid")
        let isListed = try eventually {
            let list = try admin.get("/orders?reference=C-1").body
            return list.contains(#""expected":{"amount":{"minor":9900,"currency":"MYR"}}"#)
        }
        #expect(isListed)
    }

    /// `PUT` is the same action, with HTTP's conditional headers.
    @Test(arguments: StorageKind.all)
    func `an expectation is put where nobody was quicker`(on storage: StorageKind) throws {
        let instance = try Instance(on: storage)
        let admin = try instance.admin()
        let path = "/expectations/antom/P-1"
        func put(_ condition: String?, _ minor: Int, _ more: String = "") throws -> HTTPAnswer {
            try admin.send(
                "PUT", path, headers: condition.map { ["If-Match: \($0)"] } ?? [],
                body:
                    #"{"amount":{"minor":\#(minor),"currency":"MYR"},"reason":"typo"\#(more)}"#)
            return try admin.client.receive()
        }
        #expect(try put(#""1""#, 9900).code == "order_unknown")
        let registered = try admin.post("/orders/antom/P-1", Self.expectation(4200))
        #expect(registered.fields["etag"] == #""1""#)
        let refusals: [(condition: String?, status: Int, code: String)] = [
            (nil, 428, "if_match_missing"), ("*", 428, "if_match_missing"),
            ("1", 400, "header_invalid"), (#""7""#, 412, "order_changed"),
            (#"W/"1""#, 412, "order_changed"), (#""0", "2""#, 412, "order_changed"),
        ]
        for (condition, status, code) in refusals {
            let answer = try put(condition, 9900)
            #expect(answer.status == status && answer.code == code, "\(condition ?? "none")")
        }
        #expect(try put(#""1""#, 9900, #","last":1"#).code == "expectation_invalid")
        let corrected = try put(#""0", "1""#, 9900)
        #expect(corrected.status == 200 && corrected.fields["etag"] == #""2""#, "\(corrected)")
        let order = try admin.get("/orders/antom/P-1")
        #expect(order.fields["etag"] == #""2""#)
        let amount = (try order.object()["expected"] as? [String: Any])?["amount"]
        #expect((amount as? [String: Any])?["minor"] as? Int == 9900)
        #expect(try put(#""1""#, 100).status == 412)
        // As with `correct`, the earlier registration stays in the records.
        let page = try admin.get("/events?after=1").body
        #expect(page.contains(#""replaces":1},"expectation":{"amount":{"minor":9900"#))
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "P-1", minor: 9900).request())
        let paid = try put(#""3""#, 4200)
        #expect(paid.status == 409 && paid.code == "already_paid", "\(paid.body)")
    }

    private static func expectation(_ minor: Int) -> String {
        #"{"amount":{"minor":\#(minor),"currency":"MYR"}}"#
    }

    private static func correction(_ minor: Int, last: Int) -> String {
        #"{"amount":{"minor":\#(minor),"currency":"MYR"},"reason":"typo","last":\#(last)}"#
    }

    @Test(arguments: StorageKind.all)
    func `every act is recorded before it is done`(on storage: StorageKind) throws {
        let instance = try Instance(
            on: storage, edit: { text in text + Instance.silentDestination })
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "E-1").request())
        let admin = try instance.admin()
        let acts: [(String, String)] = [
            ("/destinations/silent/pause?reason=too+slow", "pause"),
            ("/destinations/silent/resume", "resume"), ("/destinations/silent/test", "test"),
            ("/deliveries/retry?reference=E-1&state=waiting", "retry"),
            ("/deliveries/resolve?destination=silent", "give_up"),
        ]
        for (target, _) in acts {
            #expect(try eventually { try admin.post(target, "").status == 200 }, "\(target)")
        }
        for (target, status) in [
            ("/destinations/nobody/pause", 404), ("/destinations/silent/pause?reason=", 400),
            ("/deliveries/retry?dryRun=true", 200), ("/orders/antom/E-1/inquire", 404),
        ] {
            #expect(try admin.post(target, "").status == status, "\(target)")
        }
        let events = try #require(
            try admin.get("/events?after=1").object()["events"] as? [[String: Any]])
        let kinds = events.compactMap { ($0["event"] as? [String: Any])?["status"] as? String }
        // Rejected actions and dry runs are not recorded.
        #expect(Array(Set(kinds)).sorted() == acts.map(\.1).sorted())
        let first = try #require(events[0]["event"] as? [String: Any])
        let action = try #require(first["action"] as? [String: Any])
        #expect(action["reason"] as? String == "too slow")
        #expect(action["parameters"] as? [String: String] == ["destination": "silent"])
        let order = try admin.get("/orders/antom/E-1").object()
        #expect((order["sequences"] as? [Int])?.count == 1 + kinds.count { $0 == "retry" })
        #expect(order["status"] as? String == "paid")
    }

    @Test func `the commands ask and send what was seen`() throws {
        let instance = try Instance()
        try Self.doubt("L-1", instance)
        let arguments = [
            "--endpoint", "antom", "--config", instance.configurationFile, "--url",
            "http://127.0.0.1:\(instance.adminPort)", "--reason", "looked it up",
        ]
        let unasked = try run(Binary.ipnd, ["resolve", "L-1"] + arguments)
        #expect(unasked.status == 64, "the provider cannot be asked: \(unasked.errors)")
        let unknown = try run(Binary.ipnd, ["resolve", "L-9", "--yes"] + arguments)
        #expect(unknown.status == 1)
        let resolved = try run(
            Binary.ipnd,
            [
                "resolve", "L-1", "--yes", "--status", "partially_refunded", "--captured", "99.00",
                "--refunded", "9.5", "--currency", "MYR",
            ] + arguments)
        #expect(resolved.status == 0, "\(resolved.errors)")
        #expect(resolved.output.contains("antom/L-1 is partially_refunded"))
        let shown = try run(
            Binary.ipnd, ["orders", "L-1"] + arguments.dropLast(2))
        #expect(shown.output.contains("action resolve by admin (looked it up)"), "\(shown.output)")
        let admin = try instance.admin()
        _ = try admin.post("/orders/antom/L-2", Self.expectation(4200))
        let corrected = try run(
            Binary.ipnd,
            ["correct", "L-2", "--yes", "--amount", "99", "--currency", "MYR"] + arguments)
        #expect(corrected.status == 0, "\(corrected.errors)")
        #expect(corrected.output.contains("expected 99.00 MYR"), "\(corrected.output)")
        let order = try admin.get("/orders/antom/L-2").object()
        let amount = (order["expected"] as? [String: Any])?["amount"] as? [String: Any]
        #expect(amount?["minor"] as? Int == 9900)
        // A usage error and a negative result have separate exit statuses.
        let again = ["correct", "L-2", "--yes", "--amount", "42", "--currency", "MYR"] + arguments
        let mistaken = try run(Binary.ipnd, again + ["--expires", "soon"])
        #expect(mistaken.status == 64, "\(mistaken)")
        #expect(mistaken.errors.contains(" answers 4"), "\(mistaken)")
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "L-2", minor: 9900).request())
        let refused = try run(Binary.ipnd, again)
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.errors.contains(" answers 409: "), "\(refused)")
        #expect(refused.output.isEmpty)
    }
}
