import Foundation
import TestSupport
import Testing

/// Attacks by a foreign web page in a browser that can reach the admin listener.
@Suite(.ownThreads) struct BrowserLockTests {
    private static func withoutToken(_ text: String) -> String {
        text.replacing(", token: {file: secrets/admin-token}", with: ", hosts: [tools.example]")
    }

    private static func ask(
        _ client: Client, _ method: String, _ path: String, host: String = "localhost",
        _ fields: [String] = []
    ) throws -> HTTPAnswer {
        let body = method == "POST" ? #"{"amount":{"minor":4200,"currency":"MYR"}}"# : ""
        let lines =
            ["\(method) \(path) HTTP/1.1", "Host: \(host)"] + fields
            + (body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"])
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        return try client.receive()
    }

    /// A `text/plain` form is sent without a CORS preflight.
    @Test func `an act for a page of another site is refused`() throws {
        for edit in [Self.withoutToken, { $0 }] {
            let instance = try Instance(edit: edit)
            let client = try Client(port: instance.adminPort)
            let token = "Authorization: Bearer \(try PageSessionTests.token(instance))"
            let json = "Content-Type: application/json"
            for field in [
                "Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site",
            ] {
                for path in ["/orders/antom/X-1", "/orders/antom/X-1/resolve", "/deliveries/retry"]
                {
                    let answer = try Self.ask(client, "POST", path, [json, token, field])
                    #expect(answer.status == 403, "\(path) \(field)")
                    #expect(answer.code == "cross_site", "\(path) \(field)")
                }
            }
            // Programs send neither header; the listener's own pages send one of these.
            for (reference, fields) in [
                ("P-1", []), ("P-2", ["Origin: http://localhost"]),
                ("P-3", ["Sec-Fetch-Site: same-origin"]),
            ] {
                let answer = try Self.ask(
                    client, "POST", "/orders/antom/\(reference)", [json, token] + fields)
                #expect(answer.status == 201, "\(fields)")
            }
            let read = try Self.ask(
                client, "GET", "/orders/antom/P-1", [token, "Origin: https://elsewhere.example"])
            #expect(read.status == 200)
            #expect(read.fields["access-control-allow-origin"] == nil)
        }
    }

    @Test func `without a token a host that others may own is not answered`() throws {
        let instance = try Instance(edit: Self.withoutToken)
        let client = try Client(port: instance.adminPort)
        for path in ["/orders", "/events", "/metrics", "/ui/now", "/ui/orders", "/"] {
            for host in ["evil.example", "evil.example:\(instance.adminPort)"] {
                let answer = try Self.ask(
                    client, "GET", path, host: host,
                    ["Accept: text/html", "Sec-Fetch-Site: same-origin"])
                #expect(answer.status == 421, "\(path) \(host)")
                #expect(answer.body.contains("host_unknown"))
            }
        }
        let act = try Self.ask(
            client, "POST", "/ui/journal/verify", host: "evil.example",
            ["Sec-Fetch-Site: same-origin", "Origin: http://evil.example"])
        #expect(act.status == 421)
        for host in ["127.0.0.1:9090", "[::1]:9090", "localhost", "tools.example"] {
            #expect(try Self.ask(client, "GET", "/orders", host: host).status == 200)
            #expect(try Self.ask(client, "GET", "/ui/now", host: host).status == 200)
        }
        let old = try Client(port: instance.adminPort)
        try old.send("GET /orders HTTP/1.0\r\n\r\n")
        #expect(try old.receive().status == 200)
    }

    /// DNS rebinding: the foreign page has no token, whatever the host name.
    @Test func `with a token any host is answered`() throws {
        let instance = try Instance()
        let client = try Client(port: instance.adminPort)
        let token = "Authorization: Bearer \(try PageSessionTests.token(instance))"
        let answer = try Self.ask(client, "GET", "/orders", host: "payments.example", [token])
        #expect(answer.status == 200)
    }
}
