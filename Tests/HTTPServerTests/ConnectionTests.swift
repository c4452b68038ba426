import HTTP
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// The duties of an HTTP/1.1 connection (RFC 9112 §9).
@Suite(.ownThreads) struct ConnectionTests {
    @Test func `a connection serves many requests`() async throws {
        try await withServer { server in
            let client = try server.client()
            for number in 0..<100 {
                let body = "body \(number)"
                client.send(
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                        + body
                )
                let answer = try client.receive()
                #expect(answer.status == 200 && answer.body == body)
                #expect(answer.fields["connection"] == nil)
                #expect(answer.fields["date"]?.hasSuffix("GMT") == true)
            }
        }
    }

    /// A client that asked to close sends nothing more, so the server does not wait.
    @Test(arguments: ["HTTP/1.1\r\nConnection: close", "HTTP/1.0"])
    func `a connection that the client ends is closed at once`(_ version: String) async throws {
        try await withServer({ $0.lingerSecondsMax = 600 }) { server in
            let client = try server.client()
            client.send("GET / \(version)\r\nHost: a\r\n\r\n")
            #expect(try client.receive().status == 200)
            #expect(await eventuallyYielding { server.server.connections == 0 })
            withExtendedLifetime(client) {}
        }
    }

    /// Also when the request arrived before the connection was accepted, so that it was never
    /// awaited.
    @Test func `a handler is told when its client goes`() async throws {
        let server = try TestServer(limits: Limits(), acceptsAtOnce: false)
        let client = try server.client()
        client.send("GET /hold HTTP/1.1\r\nHost: a\r\n\r\n")
        server.server.accept()
        let handler = server.handler
        #expect(await eventuallyYielding { handler.requests.load(ordering: .relaxed) == 1 })
        client.finishSending()
        #expect(await eventuallyYielding { handler.leavers.load(ordering: .relaxed) == 1 })
        withExtendedLifetime(client) {}
        await server.stop()
    }

    /// Closing with unread bytes would reset the connection, and the client would lose its answer.
    @Test func `bytes behind the last request are read before closing`() async throws {
        try await withServer({ $0.lingerSecondsMax = 600 }) { server in
            let client = try server.client()
            client.send(
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                    + String(repeating: "x", count: 100_000))
            #expect(try client.receive().status == 200)
            #expect(server.server.connections == 1)
            withExtendedLifetime(client) {}
        }
    }

    /// The answer is sent together with the end of the connection; a reset would overtake it.
    @Test func `an answer is not lost with bytes that nobody reads`() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("GET /hold HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let handler = server.handler
            #expect(await eventuallyYielding { handler.requests.load(ordering: .relaxed) == 1 })
            client.send("more")
            client.finishSending()
            #expect(try client.receive().status == 200)
        }
    }

    @Test func `pipelined requests are answered in order`() async throws {
        try await withServer { server in
            let client = try server.client()
            var stream = ""
            for number in 0..<5000 {
                let body = "\(number)"
                stream +=
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n\(body)"
            }
            // More than the server reads at once: the rest must wait and must not be lost.
            let twin = Duplicate(client.descriptor)
            let sender = PlatformThread(name: "sender") { [bytes = Array(stream.utf8)] in
                _ = twin.send(bytes)
            }
            for number in 0..<5000 { #expect(try client.receive().body == "\(number)") }
            sender.join()
            withExtendedLifetime(client) {}
        }
    }

    /// A client that always has more to send must yield to the others of its loop. The second
    /// client's request arrives while the first one's thousand requests are being answered.
    @Test func `a connection with much to say gives the others their turn`() async throws {
        try await withServer { server in
            let first = try server.client()
            let second = try server.client()
            #expect(try second.get().status == 200)
            let twin = Duplicate(second.descriptor)
            server.handler.onCall.withLock { call in
                call = { _ = twin.send(Array("GET /count HTTP/1.1\r\nHost: a\r\n\r\n".utf8)) }
            }
            first.send(
                "GET /call HTTP/1.1\r\nHost: a\r\n\r\n"
                    + String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 1000))
            let before = try #require(Int(try second.receive().body))
            #expect(before < 200, "\(before) requests came first")
            for _ in 0...1000 { #expect(try first.receive().status == 200) }
        }
    }

    @Test func `a pipelined error is answered in its turn and ends the connection`() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send(
                "GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\n\r\n"
                    + "GET /c HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            #expect(try client.receive().status == 200)
            let refused = try client.receive()
            #expect(refused.status == 400 && refused.body == "host_missing\n")
            #expect(refused.fields["connection"] == "close")
            #expect(client.isClosedByServer())
            #expect(server.refusals == ["host_missing"])
        }
    }

    @Test func `a client that waits for continue gets it`() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try client.receive().status == 100)
            client.send("ok")
            #expect(try client.receive().body == "ok")
        }
    }

    @Test func `a body that is too large is refused without continue`() async throws {
        try await withServer({ $0.bodyBytesMax = 10 }) { server in
            let client = try server.client()
            client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n")
            #expect(try client.receive().status == 413)
        }
    }

    @Test func `HTTP/1.0 closes unless asked to stay`() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try client.receive().fields["connection"] == "keep-alive")
            client.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try client.receive().fields["connection"] == "close")
            #expect(client.isClosedByServer())
        }
    }

    @Test func `the answer to head has a length and no body`() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("HEAD /large?10 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receive(isHead: true).fields["content-length"] == "10")
            #expect(try client.get("/large?3").body == "xxx")
        }
    }

    @Test func `close is honoured`() async throws {
        try await withServer { server in
            let client = try server.client()
            #expect(try client.get("/", "Connection: close\r\n").fields["connection"] == "close")
            #expect(client.isClosedByServer())
        }
    }

    @Test func `a client that ends its side still gets its answer`() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            client.finishSending()
            #expect(try client.receive().status == 200)
            #expect(client.isClosedByServer())
        }
    }

    @Test func `a request that is cut short is refused`() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
            client.finishSending()
            #expect(try client.receive().body == "request_incomplete\n")
            #expect(server.handler.requests.load(ordering: .relaxed) == 0)
        }
    }

    /// Closing with unread bytes would reset the connection, and the reset would overtake the
    /// answer.
    @Test func `the answer to an error arrives although the client sends on`() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n")
            client.send([UInt8](repeating: 0x61, count: 1 << 20))
            #expect(try client.receive().status == 413)
        }
    }

    @Test func `a client that resets leaves the server serving`() async throws {
        try await withServer { server in
            for _ in 0..<50 {
                let client = try server.client()
                client.send("GET /large?1000000 HTTP/1.1\r\nHost: a\r\n\r\n")
                client.resetOnClose()
            }
            #expect(try server.client().get().status == 200)
            #expect(await eventuallyYielding { server.server.connections == 0 })
        }
    }

    /// A flood on one connection must not block the other connections of the loop.
    @Test func `a busy connection leaves turns to others`() async throws {
        try await withServer { server in
            let busy = try server.client()
            let flood = Array(
                String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 1000).utf8)
            let twin = Duplicate(busy.descriptor)
            let sender = PlatformThread(name: "sender") { while twin.send(flood) {} }
            let reader = PlatformThread(name: "reader") { while twin.discard() {} }
            for _ in 0..<50 { #expect(try server.client().get().status == 200) }
            busy.breakOff()
            sender.join()
            reader.join()
            // The threads use its descriptor, whose number must not be reused meanwhile.
            withExtendedLifetime(busy) {}
        }
    }
}
