import HTTP
import Platform
import TestSupport
import Testing

@testable import HTTPServer

@Suite(.ownThreads) struct ProxyListenerTests {
    private let proxy = ProxySettings(usesProxyProtocol: true)
    private let line = "PROXY TCP4 203.0.113.7 192.0.2.1 4711 443\r\n"

    @Test func `the client is who the proxy says`() async throws {
        try await withServer(proxy: proxy) { server in
            let client = try server.client()
            client.send(line + "GET /client HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.receive().body == "203.0.113.7")
            #expect(try client.get("/client").body == "203.0.113.7")
        }
    }

    @Test func `the header may come byte by byte`() async throws {
        try await withServer(proxy: proxy) { server in
            let client = try server.client()
            for byte in (line + "GET /client HTTP/1.1\r\nHost: a\r\n\r\n").utf8 {
                client.send([byte])
            }
            #expect(try client.receive().body == "203.0.113.7")
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PROXY nonsense\r\n", "\u{16}\u{3}\u{1}",
    ])
    func `a connection without the header is closed unanswered`(_ text: String) async throws {
        try await withServer(proxy: proxy) { server in
            let client = try server.client()
            client.send(text)
            #expect(client.isClosedByServer())
            #expect(await eventuallyYielding { server.refusals.count == 1 })
            #expect(server.handler.requests.load(ordering: .relaxed) == 0)
        }
    }

    @Test func `a header that does not come is timed out`() async throws {
        try await withServer(proxy: proxy, { $0.headSecondsMax = 10 }) { server in
            let client = try server.client()
            client.send("PROXY TCP4")
            #expect(await server.waits(seconds: 10))
            server.clock.advance(milliseconds: 9_999)
            await server.settle()
            #expect(server.refusals == [] && client.isQuiet)
            server.clock.advance(milliseconds: 1)
            #expect(client.isClosedByServer())
            #expect(await eventuallyYielding { server.refusals == ["proxy_header_timeout"] })
        }
    }

    @Test func `a client that ends within the header is let go at once`() async throws {
        try await withServer(proxy: proxy) { server in
            let client = try server.client()
            client.send("PROXY TCP4")
            #expect(await eventuallyYielding { server.server.connections == 1 })
            client.finishSending()
            #expect(await eventuallyYielding { server.server.connections == 0 })
            #expect(server.refusals == [])
        }
    }

    @Test func `only trusted peers may speak for others`() async throws {
        let elsewhere = ProxySettings(
            trusted: [IPNetwork("192.0.2.0/24")!], usesProxyProtocol: true)
        try await withServer(proxy: elsewhere) { server in
            let client = try server.client()
            client.send(line + "GET /client HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(client.isClosedByServer())
            #expect(await eventuallyYielding { server.refusals == ["proxy_header_untrusted"] })
        }
    }
}
