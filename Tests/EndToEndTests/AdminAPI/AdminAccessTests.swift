import Foundation
import TestSupport
import Testing

/// Access control of the admin API, and the form of its errors.
@Suite(.ownThreads) struct AdminAccessTests {
    @Test func `without the token nothing is told but health`() throws {
        let instance = try Instance()
        let client = try Client(port: instance.adminPort)
        let given = ["", "Authorization: Bearer wrong\r\n", "Authorization: Basic eDp5\r\n"]
        for path in ["/orders", "/orders/antom/R-1", "/events", "/metrics"] {
            for authorization in given {
                try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(authorization)\r\n")
                let answer = try client.receive()
                #expect(answer.status == 401)
                #expect(answer.code == "token_required")
                #expect(answer.fields["www-authenticate"] == "Bearer")
            }
        }
        for path in ["/healthz", "/readyz"] {
            try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try client.receive().status == 200)
        }
    }

    /// A proxy may read the first or the last of two headers, so neither is accepted.
    @Test func `two tokens are none`() throws {
        let instance = try Instance()
        let client = try Client(port: instance.adminPort)
        func status(_ authorization: [String]) throws -> Int {
            let fields = authorization.map { "Authorization: Bearer \($0)\r\n" }.joined()
            try client.send("GET /orders HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
            return try client.receive().status
        }
        let file = "\(instance.folder)/secrets/admin-token"
        let token = try String(contentsOfFile: file, encoding: .utf8)
            .trimmingCharacters(in: .newlines)
        #expect(try status([token]) == 200)
        #expect(try status([token, "wrong"]) == 401)
        #expect(try status(["wrong", token]) == 401)
        #expect(try status([token, token]) == 401)
    }

    @Test func `a viewer sees orders but acts on nothing and reads no request`() throws {
        let viewerToken = "viewer-0123456789abcdef"
        let instance = try Instance(
            edit: { text in
                text.replacingOccurrences(
                    of: "token: {file: secrets/admin-token}",
                    with: "token: {file: secrets/admin-token}, viewerToken: {file: secrets/viewer}")
                    + Instance.silentDestination
            }, starts: false)
        try viewerToken.write(
            toFile: "\(instance.folder)/secrets/viewer", atomically: true, encoding: .utf8)
        try instance.start()
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "V-1").request())
        let client = try Client(port: instance.adminPort)
        func ask(_ method: String, _ path: String, accept: String = "*/*") throws -> HTTPAnswer {
            try client.send(
                "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nAccept: \(accept)\r\n"
                    + "Authorization: Bearer \(viewerToken)\r\nContent-Length: 0\r\n\r\n")
            return try client.receive()
        }
        for path in [
            "/orders", "/orders/antom/V-1", "/metrics", "/destinations", "/deliveries",
        ] {
            #expect(try ask("GET", path).status == 200, "\(path)")
        }
        for path in [
            "/orders/antom/V-1", "/orders/antom/V-1/inquire", "/deliveries/retry",
            "/deliveries/resolve", "/destinations/silent/pause", "/destinations/silent/resume",
            "/destinations/silent/test",
        ] {
            let answer = try ask("POST", path)
            #expect(answer.status == 403, "\(path)")
            #expect(answer.code == "role_insufficient", "\(path)")
        }
        #expect(try ask("PUT", "/expectations/antom/V-1").code == "role_insufficient")
        // The merchant's expectation and a person's action, each with the client's address.
        let admin = try instance.admin()
        let expectation =
            #"{"amount":{"minor":4200,"currency":"MYR"},"metadata":{"mail":"joe@example.org"}}"#
        #expect(try admin.post("/orders/antom/V-1", expectation).status == 201)
        #expect(try admin.post("/destinations/silent/pause", "").status == 200)
        let secrets = [
            #""request""#, #""headers""#, #""peer""#, #""remote""#, "127.0.0.1", "metadata",
            "joe@example.org",
        ]
        for (path, accept) in [
            ("/events", "application/json"), ("/orders", "application/json"),
            ("/orders", "application/x-ndjson"), ("/orders", "text/csv"),
            ("/orders/antom/V-1", "*/*"),
        ] {
            let page = try ask("GET", path, accept: accept).body
            #expect(page.contains("V-1"))
            for secret in secrets { #expect(!page.contains(secret), "\(path): \(secret)") }
        }
        let all = try admin.get("/events").body
        for secret in secrets { #expect(all.contains(secret), "\(secret)") }
        #expect(try admin.get("/orders").body.contains("joe@example.org"))
        // As a stream: the opening comment and the three records.
        let stream = try EventReader(instance, token: viewerToken)
        let blocks = try (0..<4).map { _ in try stream.next() }.joined(separator: "\n")
        #expect(blocks.contains("V-1") && blocks.contains("\"pause\""))
        for secret in secrets { #expect(!blocks.contains(secret), "\(secret)") }
    }

    static let mistakes: [(String, String, Int, String)] = [
        ("GET", "/nothing", 404, "unknown_path"),
        ("GET", "/orders/antom", 404, "unknown_path"),
        ("GET", "/orders/antom/", 404, "unknown_path"),
        ("POST", "/orders", 405, "method_not_allowed"),
        ("GET", "/orders/antom/%FF", 400, "path_invalid"),
        ("GET", "/orders/nowhere/R-1?wait=60", 404, "endpoint_unknown"),
        ("GET", "/orders/antom/R-1?wait=61", 400, "parameter_invalid"),
        ("GET", "/orders/antom/R-1?wait=%2B5", 400, "parameter_invalid"),
        ("GET", "/orders?stauts=paid", 400, "parameter_unknown"),
        ("GET", "/orders?status=payed", 400, "parameter_invalid"),
        ("GET", "/orders?flag=odd", 400, "parameter_invalid"),
        ("GET", "/orders?amountMin=5.0", 400, "parameter_invalid"),
        ("GET", "/orders?limit=1&limit=2", 400, "parameter_repeated"),
        ("GET", "/events?after=-1", 400, "parameter_invalid"),
    ]

    @Test func `a mistake is a problem with a code`() throws {
        let instance = try Instance()
        let admin = try instance.admin()
        for (method, target, status, code) in Self.mistakes {
            try admin.send(method, target, body: method == "POST" ? "{}" : nil)
            let answer = try admin.client.receive()
            #expect(answer.status == status, "\(method) \(target)")
            #expect(answer.code == code, "\(method) \(target)")
        }
    }

    /// A method that the HTTP server does not support is rejected before routing.
    @Test func `every refusal is a problem and says what the path takes`() throws {
        let instance = try Instance()
        for method in ["PUT", "DELETE", "PATCH", "POST", "GET"] {
            for (path, allowed) in [
                ("/orders", "GET, HEAD"), ("/events", "GET, HEAD"), ("/metrics", "GET, HEAD"),
                ("/orders/antom/R-1", "GET, HEAD, POST"), ("/deliveries/retry", "POST"),
                ("/destinations/shop/pause", "POST"), ("/expectations/antom/R-1", "PUT"),
                ("/nothing", "GET, HEAD"),
            ] where !allowed.contains(method) && (path != "/nothing" || method == "DELETE") {
                let admin = try instance.admin()
                try admin.send(method, path)
                let answer = try admin.client.receive()
                #expect(answer.status == 405, "\(method) \(path)")
                #expect(answer.fields["allow"] == allowed, "\(method) \(path)")
                #expect(answer.code == "method_not_allowed", "\(method) \(path)")
            }
        }
        let broken = try Client(port: instance.adminPort)
        try broken.send("GET /orders HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
        let answer = try broken.receive()
        #expect(answer.status == 400)
        #expect(answer.code == "host_repeated")
        // An endpoint accepts only POST.
        let client = try instance.client()
        try client.send("PUT /ipn/antom HTTP/1.1\r\nHost: a\r\n\r\n")
        let refused = try client.receive()
        #expect(refused.status == 405)
        #expect(refused.fields["allow"] == "POST")
    }

    @Test func `an admin listener for others needs a token`() throws {
        let instance = try Instance(
            edit: {
                $0.split(separator: "\n").map { line in
                    line.hasPrefix("admin:") ? "admin: {address: 0.0.0.0:0}" : String(line)
                }.joined(separator: "\n")
            }, starts: false)
        let check = try run(Binary.ipnd, ["check", "--config", instance.configurationFile])
        #expect(check.status == 78)
        #expect(check.errors.contains("a token is required"))
    }
}
