import Foundation
import TestSupport
import Testing

/// The pages over raw HTTP: sign-in, sessions and security headers. `scripts/check-pages` tests
/// them with a browser.
@Suite(.ownThreads) struct PageSessionTests {
    /// A browser's cookie and the token of its forms.
    struct Visitor {
        let client: Client
        var cookie = ""

        func get(_ path: String, _ fields: [String] = []) throws -> HTTPAnswer {
            try send("GET", path, fields)
        }

        func post(
            _ path: String, _ body: String = "", site: String = "same-origin"
        ) throws -> HTTPAnswer {
            try send("POST", path, ["Sec-Fetch-Site: \(site)"], body)
        }

        func send(
            _ method: String, _ path: String, _ fields: [String], _ body: String? = nil
        ) throws -> HTTPAnswer {
            var lines = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Accept: text/html"]
            lines += fields
            if !cookie.isEmpty { lines.append("Cookie: \(cookie)") }
            if let body { lines.append("Content-Length: \(body.utf8.count)") }
            try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
            return try client.receive()
        }

        mutating func signIn(_ token: String, next: String = "") throws -> HTTPAnswer {
            let answer = try post("/ui/session", "token=\(token)&next=\(next)")
            cookie = answer.fields["set-cookie"].map { String($0.prefix { $0 != ";" }) } ?? cookie
            return answer
        }
    }

    static func visitor(_ instance: Instance, signsIn: Bool = true) throws -> Visitor {
        var visitor = Visitor(client: try Client(port: instance.adminPort))
        if signsIn { #expect(try visitor.signIn(token(instance)).status == 303) }
        return visitor
    }

    static func token(_ instance: Instance) throws -> String {
        try String(contentsOfFile: "\(instance.folder)/secrets/admin-token", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static let screens = [
        "now", "orders", "orders/antom/P-1", "events", "rejections", "destinations", "providers",
        "journal",
        "audit",
    ]

    @Test func `without a session every screen leads to the sign in and back`() throws {
        let instance = try Instance()
        var visitor = try Self.visitor(instance, signsIn: false)
        for screen in Self.screens {
            let answer = try visitor.get("/ui/\(screen)")
            #expect(answer.status == 303)
            #expect(answer.fields["location"]?.contains("session?next=") == true)
            #expect(answer.body.isEmpty)
        }
        #expect(try visitor.get("/ui/stream").status == 204)
        #expect(try visitor.post("/ui/destinations/retry").status == 303)
        let form = try visitor.get("/ui/session?next=orders%3Fstatus%3Dpaid")
        #expect(form.body.contains(#"name="next" value="orders?status=paid""#))
        let signedIn = try visitor.signIn(
            Self.token(instance), next: "orders%2Fantom%2FP-1")
        #expect(signedIn.fields["location"] == "orders/antom/P-1")
        let cookie = try #require(signedIn.fields["set-cookie"])
        #expect(cookie.hasSuffix("; HttpOnly; SameSite=Strict"))
        #expect(try visitor.get("/ui/now").status == 200)
        #expect(try visitor.post("/ui/session/end").fields["location"] == "../session")
        #expect(try visitor.get("/ui/now").status == 303)
    }

    @Test(arguments: [
        "//evil.example", "https://evil.example", "../orders", "session/end", "now%0D%0AX: 1",
        "orders%23x", "orders/antom/P-1/inquire", "",
    ])
    func `signing in leads only to a screen`(_ next: String) throws {
        let instance = try Instance()
        var visitor = try Self.visitor(instance, signsIn: false)
        let answer = try visitor.signIn(Self.token(instance), next: next)
        #expect(answer.status == 303)
        #expect(answer.fields["location"] == "now")
        #expect(answer.fields["x"] == nil)
    }

    @Test func `every answer forbids what a page does not need`() throws {
        let instance = try Instance()
        let visitor = try Self.visitor(instance)
        for path in Self.screens.map({ "/ui/\($0)" }) + ["/ui/session", "/ui/style.css", "/ui/x"] {
            let fields = try visitor.get(path).fields
            let policy = try #require(fields["content-security-policy"], "\(path)")
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(fields["x-content-type-options"] == "nosniff")
            #expect(fields["cache-control"] == "no-store" || path.hasSuffix(".css"), "\(path)")
        }
    }

    @Test func `a post from elsewhere does nothing`() throws {
        let instance = try Instance()
        var visitor = try Self.visitor(instance)
        for site in ["cross-site", "same-site", "none"] {
            #expect(try visitor.post("/ui/journal/verify", site: site).status == 403)
            #expect(try visitor.post("/ui/session/end", site: site).status == 403)
        }
        let bare = try visitor.send("POST", "/ui/journal/verify", [], "")
        #expect(bare.status == 403)
        #expect(bare.body.contains("cross_site"))
        let origin = try visitor.send(
            "POST", "/ui/journal/verify", ["Origin: http://localhost"], "")
        #expect(origin.status == 303)
        #expect(try visitor.get("/ui/now").status == 200)
        visitor.cookie += "; \(visitor.cookie)"
        #expect(try visitor.get("/ui/now").status == 303)
    }

    @Test func `wrong tokens are limited`() throws {
        let instance = try Instance()
        var visitor = try Self.visitor(instance, signsIn: false)
        for _ in 0..<10 {
            let answer = try visitor.signIn("wrong")
            #expect(answer.status == 403)
            #expect(answer.fields["set-cookie"] == nil)
        }
        let answer = try visitor.signIn("wrong")
        #expect(answer.status == 429)
        #expect(Int(answer.fields["retry-after"] ?? "") != nil)
        var elsewhere = Visitor(client: try Client(port: instance.adminPort, source: 2))
        #expect(try elsewhere.signIn("wrong").status == 403)
        // Wrong tokens do not lock out other users at the same address.
        #expect(try visitor.signIn(Self.token(instance)).status == 303)
    }

    @Test func `programs get what they always got`() throws {
        let instance = try Instance()
        let admin = try instance.admin()
        #expect(try admin.get("/").code == "unknown_path")
        #expect(try admin.get("/orders", accept: "text/html").status == 200)
        let browser = try admin.get("/", accept: "text/html,application/xhtml+xml")
        #expect(browser.status == 303)
        #expect(browser.fields["location"] == "ui/now")
        // A program's token is not accepted as a session.
        #expect(try admin.get("/ui/now").status == 303)
    }

    @Test func `without a token nobody signs in`() throws {
        let instance = try Instance(edit: {
            $0.replacing(", token: {file: secrets/admin-token}", with: "")
        })
        let visitor = try Self.visitor(instance, signsIn: false)
        let page = try visitor.get("/ui/now")
        #expect(page.status == 200)
        #expect(!page.body.contains("Sign out"))
        #expect(try visitor.get("/ui/session").fields["location"] == "now")
        #expect(try visitor.post("/ui/journal/verify", site: "cross-site").status == 403)
    }

    /// An ignored filter would show or retry more than requested.
    @Test func `what is not UTF-8 is refused`() throws {
        let instance = try Instance(edit: { text in text + Instance.silentDestination })
        let visitor = try Self.visitor(instance)
        for path in ["orders?text=%FF", "orders.csv?text=%C3%28", "rejections?id=%FF"] {
            let answer = try visitor.get("/ui/\(path)")
            #expect(answer.status == 400 && answer.body.contains("parameter_encoding"), "\(path)")
        }
        let retried = try visitor.post("/ui/destinations/retry", "destination=%FF")
        #expect(retried.status == 400, "\(retried.body)")
        #expect(try visitor.get("/ui/orders?text=%C3%A9").status == 200)
    }
}
