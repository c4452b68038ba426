import Foundation
import TestSupport
import Testing

/// `GET /outcome/{token}` on the listener for shoppers' apps.
@Suite(.ownThreads) struct OutcomeListenerTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    private static func instance(
        _ settings: String = "", secret: String = "admin-token",
        on storage: StorageKind = .journal, edit: (String) -> String = { $0 }
    ) throws -> Instance {
        let instance = try Instance(
            on: storage,
            edit: { text in
                edit(text) + "outcome: {address: 127.0.0.1:0, secret: {file: secrets/\(secret)}"
                    + "\(settings)}\n"
            }, starts: false)
        try Self.write(Self.secret, to: instance)
        try instance.start()
        return instance
    }

    private static func write(_ secret: String, to instance: Instance) throws {
        let file = "\(instance.folder)/secrets/outcome"
        try secret.write(toFile: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    }

    private static func app(_ instance: Instance) throws -> Client {
        try Client(port: instance.outcomePort, receiveSeconds: 60)
    }

    private static func ask(
        _ client: Client, _ token: String, _ query: String = "", _ fields: [String] = []
    ) throws -> HTTPAnswer {
        let lines = ["GET /outcome/\(token)\(query) HTTP/1.1", "Host: pay.example"] + fields
        try client.send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return try client.receive()
    }

    private static func token(_ instance: Instance, _ reference: String) throws -> String {
        let answer = try instance.admin().post(
            "/orders/antom/\(reference)", OrderRouteTests.expectation)
        return try #require(try answer.object()["outcomeToken"] as? String)
    }

    @Test(arguments: StorageKind.all)
    func `an app learns whether its order is paid and nothing else`(on storage: StorageKind) throws
    {
        let instance = try Self.instance(on: storage)
        let token = try Self.token(instance, "R-1")
        let app = try Self.app(instance)
        let pending = try Self.ask(app, token)
        #expect(pending.status == 200 && pending.body == #"{"status":"pending"}"#)
        #expect(pending.fields["retry-after"] == "3" && pending.fields["etag"] == "\"pending\"")
        #expect(pending.fields["cache-control"] == "no-store")
        #expect(pending.fields["access-control-allow-origin"] == nil)
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "R-1").request())
        let paid = try Self.ask(app, token)
        #expect(paid.body == #"{"status":"paid"}"# && paid.fields["retry-after"] == nil)
        let same = try Self.ask(app, token, "", ["If-None-Match: \"paid\""])
        #expect(same.status == 304 && same.body.isEmpty && same.fields["etag"] == "\"paid\"")
        #expect(try Self.ask(app, token, "?wait=60", ["If-None-Match: \"pending\""]).status == 200)
        // Only the answer to the expectation has a token, each time another one.
        #expect(!(try instance.admin().get("/orders/antom/R-1").body.contains("outcomeToken")))
        let again = try Self.token(instance, "R-1")
        #expect(again != token)
        #expect(try Self.ask(app, again).body == paid.body)
        for path in ["orders", "metrics", "healthz/", "outcome", "outcome/", "ui/now"] {
            try app.send("GET /\(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try app.receive().status == 404, "\(path)")
        }
        try app.send("POST /outcome/\(token) HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")
        #expect(try app.receive().status == 405)
        #expect(try instance.admin().get("/outcome/\(token)").status == 404)
        #expect(instance.stop() == 0)
        try instance.start()
        #expect(try Self.ask(Self.app(instance), token).body == paid.body, "after a restart")
    }

    @Test(arguments: StorageKind.all)
    func `a wait ends with the payment`(on storage: StorageKind) throws {
        let instance = try Self.instance(on: storage)
        let token = try Self.token(instance, "R-1")
        let app = try Self.app(instance)
        try app.send("GET /outcome/\(token)?wait=60 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try Self.ask(Self.app(instance), token).body == #"{"status":"pending"}"#)
        #expect(app.buffer.isEmpty)
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "R-1").request())
        #expect(try app.receive().body == #"{"status":"paid"}"#)
    }

    /// A sum that was not expected is a review, which shows as pending.
    @Test func `a review shows as pending`() throws {
        let instance = try Self.instance()
        let token = try Self.token(instance, "R-1")
        let antom = try SandboxProvider("antom", of: instance)
        try instance.deliver(antom.delivery(reference: "R-1", minor: 100).request())
        let order = try #require(try instance.order("antom", "R-1"))
        #expect(order["status"] as? String == "review")
        #expect(
            try Self.ask(Self.app(instance), token, "?wait=1").body == #"{"status":"pending"}"#)
    }

    @Test func `who has no token learns nothing`() throws {
        let instance = try Self.instance()
        let token = try Self.token(instance, "R-1")
        let app = try Self.app(instance)
        for text in ["x", String(token.dropLast(2)), token.uppercased(), "R-1", "%20"] {
            let answer = try Self.ask(app, text, "?wait=60")
            #expect(answer.status == 404 && answer.code == "token_invalid", "\(text)")
        }
        #expect(try Self.ask(app, token, "?wait=61").code == "parameter_invalid")
        #expect(try Self.ask(app, token, "?x=1").status == 400)
    }

    @Test func `pages of the listed origins may read it`() throws {
        let instance = try Self.instance(
            ", allowOrigins: [\"https://shop.example\", \"http://localhost:3000\"]")
        let token = try Self.token(instance, "R-1")
        let app = try Self.app(instance)
        for origin in ["https://shop.example", "http://localhost:3000"] {
            let answer = try Self.ask(app, token, "", ["Origin: \(origin)"])
            #expect(answer.fields["access-control-allow-origin"] == origin)
            #expect(answer.fields["vary"] == "Origin")
            let refused = try Self.ask(app, "x", "", ["Origin: \(origin)"])
            #expect(refused.fields["access-control-allow-origin"] == origin)
        }
        for origin in ["https://evil.example", "https://shop.example.evil", "null"] {
            let answer = try Self.ask(app, token, "", ["Origin: \(origin)"])
            #expect(answer.status == 200)
            #expect(answer.fields["access-control-allow-origin"] == nil, "\(origin)")
        }
    }

    /// A client that finds no place to wait is answered at once.
    @Test func `the number of waits is limited`() throws {
        let instance = try Self.instance(", waitsMax: 3, waitsPerOrderMax: 2")
        let tokens = try ["R-1", "R-2"].map { try Self.token(instance, $0) }
        let held = try [0, 0, 1].map { number in
            let app = try Self.app(instance)
            try app.send("GET /outcome/\(tokens[number])?wait=60 HTTP/1.1\r\nHost: x\r\n\r\n")
            return app
        }
        // Places are taken in the order of arrival on the loop; a request without one says so by
        // the pause of an answer without a wait.
        let late = try Self.app(instance)
        #expect(
            try eventually { try Self.ask(late, tokens[1], "?wait=1").fields["retry-after"] == "3" }
        )
        let antom = try SandboxProvider("antom", of: instance)
        for reference in ["R-1", "R-2"] {
            try instance.deliver(antom.delivery(reference: reference).request())
        }
        for app in held { #expect(try app.receive().body == #"{"status":"paid"}"#) }
    }

    @Test func `a reload changes secrets`() throws {
        let instance = try Self.instance(secret: "outcome")
        let token = try Self.token(instance, "R-1")
        let app = try Self.app(instance)
        try Self.write(Self.secret.uppercased(), to: instance)
        let former = "\(instance.folder)/secrets/former"
        try Self.secret.write(toFile: former, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: former)
        let text = try String(contentsOfFile: instance.configurationFile, encoding: .utf8)
        try text.replacing(
            "secrets/outcome}", with: "secrets/outcome}, formerSecret: {file: secrets/former}"
        ).write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        instance.process.signal(SIGHUP)
        #expect(instance.says("reloaded"))
        #expect(try Self.ask(app, token).status == 200, "by the former secret")
        #expect(try Self.ask(app, Self.token(instance, "R-2")).status == 200)
        try text.write(toFile: instance.configurationFile, atomically: true, encoding: .utf8)
        instance.process.signal(SIGHUP)
        #expect(try eventually { try Self.ask(app, token).status == 404 })
    }

    /// While an app waits, the provider is asked: its notification may be lost.
    @Test func `a wait asks the provider`() throws {
        let provider = try AskedProvider()
        provider.say("success", of: "R-1")
        let instance = try Self.instance(
            edit: { provider.edit($0, "schedule: [], secondsPerOrder: 0.2") })
        let answer = try instance.admin().post(
            "/orders/citcon-pay/R-1",
            OrderRouteTests.expectation)
        let token = try #require(try answer.object()["outcomeToken"] as? String)
        #expect(
            try Self.ask(Self.app(instance), token, "?wait=60").body == #"{"status":"paid"}"#)
    }
}
