import Foundation
import TestSupport
import Testing

/// Pages of orders and endpoints, and the conditions of actions on them.
@Suite(.ownThreads) struct PageOrderTests {
    private static func viewer(_ instance: Instance) throws -> PageSessionTests.Visitor {
        var visitor = try PageSessionTests.visitor(instance, signsIn: false)
        #expect(try visitor.signIn("only-looking").status == 303)
        return visitor
    }

    private static func instance(_ storage: StorageKind = .journal) throws -> Instance {
        let instance = try Instance(
            on: storage,
            edit: { text in
                // The tables are created before the file with the viewers' token exists.
                guard storage == .journal else { return text }
                let full = "token: {file: secrets/admin-token}"
                return text.replacing(
                    full, with: "\(full), viewerToken: {file: secrets/viewer}")
            }, starts: false)
        try "only-looking".write(
            toFile: "\(instance.folder)/secrets/viewer", atomically: true, encoding: .utf8)
        try instance.start()
        return instance
    }

    @Test(arguments: StorageKind.all)
    func `a timeline counts repetitions`(on storage: StorageKind) throws {
        let instance = try Self.instance(storage)
        let antom = try SandboxProvider("antom", of: instance)
        let paid = try antom.delivery(reference: "P-1").request()
        for _ in 0..<4 { try instance.deliver(paid) }
        try instance.deliver(antom.delivery(.refunded, reference: "P-1", number: 2).request())
        let path = "/orders/antom/P-1"
        // State that only this process has is shown on request.
        #expect(try instance.admin().get(path).object()["repetitions"] == nil)
        let order = try instance.admin().get("\(path)?repetitions=true").object()
        let repetitions = try #require(order["repetitions"] as? [String: Any])
        let records = try #require(repetitions["records"] as? [[String: Any]])
        #expect(records.count == 1)
        #expect(records.first?["sequence"] as? Int == 1)
        #expect(records.first?["times"] as? Int == 3)
        var visitors = [try PageSessionTests.visitor(instance)]
        if storage == .journal { visitors.append(try Self.viewer(instance)) }
        for visitor in visitors {
            let page = try visitor.get("/ui/orders/antom/P-1").body
            #expect(page.components(separatedBy: "Received again").count == 2)
            #expect(page.contains("Received again 3 times, last at <time"))
            #expect(page.contains("Repetitions are not recorded"))
        }
    }

    @Test(arguments: StorageKind.all)
    func `an endpoint tells its last notification`(on storage: StorageKind) throws {
        let instance = try Self.instance(storage)
        func last(_ endpoint: String) throws -> String {
            let page = try PageSessionTests.visitor(instance).get("/ui/providers").body
            let card = try #require(
                page.components(separatedBy: "id=\"p-").first { $0.hasPrefix("\(endpoint)\"") })
            let fact = try #require(card.components(separatedBy: "<dt>Last notification</dt>").last)
            return String(fact.prefix { $0 != "/" })
        }
        #expect(try last("antom").contains("none yet"))
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "P-1").request())
        let admin = try instance.admin()
        let received = try #require(
            try (admin.get("/events?after=0").object()["events"] as? [[String: Any]])?
                .first?["received"] as? String)
        #expect(try last("antom").contains("datetime=\"\(received)\""))
        // A registration is not a notification.
        #expect(
            try admin.post(
                "/orders/citcon/E-1", #"{"amount":{"minor":1,"currency":"MYR"}}"#
            ).status == 201)
        #expect(try last("citcon").contains("none yet"))
        let metrics = try admin.get("/metrics").body
        #expect(metrics.contains(#"ipnd_last_notification_seconds{endpoint="antom"} 1"#))
        #expect(!metrics.contains(#"ipnd_last_notification_seconds{endpoint="citcon"}"#))
        instance.stop()
        try instance.start()
        #expect(try last("antom").contains("datetime=\"\(received)\""))
    }

    /// Browsers resolve `%2E%2E` as a parent folder, and proxies decode `%2F`.
    @Test(arguments: ["..", ".", "a/b", "-"])
    func `an order of any reference is reached`(_ reference: String) throws {
        let instance = try Self.instance()
        let antom = try SandboxProvider("antom", of: instance)
        for amount in [4200, 9900] {
            try instance.deliver(
                antom.delivery(reference: reference, minor: Int64(amount)).request())
        }
        let admin = try instance.admin()
        let isListed = try eventually {
            try admin.get("/orders").body.contains(#""indexed":2"#)
        }
        #expect(isListed)
        var visitor = try PageSessionTests.visitor(instance)
        let list = try visitor.get("/ui/orders").body
        let link = try #require(
            list.components(separatedBy: "<th scope=\"row\"><a href=\"").dropFirst().first)
        let place = String(link.prefix { $0 != "\"" })
        #expect(!place.contains("..") || place.contains("?reference=.."))
        let page = try visitor.get("/ui/\(place)")
        #expect(page.status == 200)
        #expect(page.body.contains("<h1 class=\"reference\">\(reference)</h1>"))
        let action = try #require(
            page.body.components(separatedBy: "action=\"").first { $0.contains("/resolve") })
        let resolve = String(action.prefix { $0 != "\"" }.drop { $0 == "." || $0 == "/" })
        let answer = try visitor.post("/ui/\(resolve)", "reason=seen&last=2")
        #expect(answer.status == 303, "\(answer.body)")
        #expect(answer.fields["location"]?.contains("notice=resolved") == true)
        let order = try admin.get("/\(place)").object()
        #expect(order["reference"] as? String == reference)
        #expect(order["status"] as? String == "paid")
        // After the sign-in the browser returns to the page.
        visitor.cookie = ""
        let asked = try visitor.get("/ui/\(place)").fields["location"] ?? ""
        let next = asked.components(separatedBy: "next=").last ?? ""
        let back = try visitor.signIn(PageSessionTests.token(instance), next: next)
        #expect(back.fields["location"] == place)
    }

    @Test func `a viewer sees no request and acts on nothing`() throws {
        let instance = try Self.instance()
        let antom = try SandboxProvider("antom", of: instance)
        for amount in [4200, 9900] {
            try instance.deliver(antom.delivery(reference: "P-1", minor: Int64(amount)).request())
        }
        let full = try PageSessionTests.visitor(instance)
        let viewer = try Self.viewer(instance)
        let own = try full.get("/ui/orders/antom/P-1").body
        #expect(own.contains("Request as received") && own.contains("paymentRequestId"))
        let page = try viewer.get("/ui/orders/antom/P-1").body
        #expect(!page.contains("<details") && !page.contains("paymentRequestId"))
        #expect(!page.contains("127.0.0.1") && !page.contains("/resolve"))
        for path in [
            "orders/antom/P-1/resolve", "orders/antom/P-1/correct", "orders/antom/P-1/inquire",
            "destinations/retry", "destinations/x/pause", "journal/verify",
        ] {
            let answer = try viewer.post("/ui/\(path)", "reason=x&last=2")
            #expect(answer.status == 403, "\(path)")
            #expect(answer.body.contains("role_may_not_act"))
        }
        #expect(try instance.admin().get("/orders/antom/P-1").body.contains(#""last":2"#))
    }

    @Test func `a decision needs its reason and is recorded`() throws {
        let instance = try Self.instance()
        let antom = try SandboxProvider("antom", of: instance)
        for amount in [4200, 9900] {
            try instance.deliver(antom.delivery(reference: "P-1", minor: Int64(amount)).request())
        }
        let visitor = try PageSessionTests.visitor(instance)
        for body in ["last=2", "last=2&reason=", "reason=x", "reason=x&last=1"] {
            let status = try visitor.post("/ui/orders/antom/P-1/resolve", body).status
            #expect((400...409).contains(status), "\(body): \(status)")
        }
        let resolved = try visitor.post(
            "/ui/orders/antom/P-1/resolve", "reason=they+called&last=2&status=paid&currency=MYR")
        #expect(resolved.status == 303, "\(resolved.body)")
        let record = try instance.admin().get("/events?after=2").body
        #expect(record.contains(#""by":"admin","remote":"127.0.0.1","reason":"they called""#))
        #expect(try visitor.get("/ui/orders/antom/P-1").body.contains("they called"))
    }

    @Test func `the session's cookie is secure under TLS`() throws {
        let instance = try Self.instance()
        let visitor = try PageSessionTests.visitor(instance, signsIn: false)
        let token = try PageSessionTests.token(instance)
        let answer = try visitor.send(
            "POST", "/ui/session", ["Origin: https://localhost"], "token=\(token)")
        #expect(answer.status == 303)
        #expect(
            answer.fields["set-cookie"]?.hasSuffix("; HttpOnly; SameSite=Strict; Secure") == true)
    }

    /// The API rejects a correction then, so the form is not shown.
    @Test func `what is expected is corrected until money has moved`() throws {
        let instance = try Self.instance()
        let admin = try instance.admin()
        let expected = #"{"amount":{"minor":4200,"currency":"MYR"}}"#
        #expect(try admin.post("/orders/antom/C-1", expected).status == 201)
        let visitor = try PageSessionTests.visitor(instance)
        #expect(try visitor.get("/ui/orders/antom/C-1").body.contains("Correct the expected"))
        let last = try #require(try admin.get("/orders/antom/C-1").object()["last"] as? Int)
        let spaced = try visitor.post(
            "/ui/orders/antom/C-1/correct",
            "amount=%2042.00+&currency=MYR&last=\(last)&reason=pasted")
        #expect(spaced.status == 303, "\(spaced.body)")
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "C-1").request())
        #expect(try !visitor.get("/ui/orders/antom/C-1").body.contains("Correct the expected"))
    }
}
