import HTTP
import Platform
import TLS
import TestSupport
import Testing

@testable import HTTPServer

/// The cost of clients that begin a TLS handshake and do not finish it.
@Suite(.ownThreads) struct HandshakeTests {
    private let tls: TestTLS

    init() throws { tls = try TestTLS.shared.get() }

    private func withTLS(
        places: Int = 1, _ body: (TestServer) async throws -> Void
    ) async throws {
        try await withServer(
            tls: tls.context,
            {
                $0.handshakesMax = places
                $0.handshakeSecondsMax = 10
            }, body)
    }

    /// A client that has sent this much of its first message, which the server has received.
    private func client(
        _ server: TestServer, sending count: Int? = nil
    ) async throws -> TestClient {
        let client = try server.client()
        let before = server.server.connections
        client.send(Array(tls.hello.prefix(count ?? tls.hello.count)))
        #expect(await eventuallyYielding { server.server.connections >= before })
        return client
    }

    @Test func `the oldest gives way once it is a second old`() async throws {
        try await withTLS { server in
            let first = try await client(server)
            #expect(first.discard(1) == 1, "it is answered")
            let second = try await client(server)
            await server.settle()
            #expect(second.isQuiet, "the only place is taken")
            server.clock.advance(seconds: Double(HandshakePlaces.ageSecondsMin))
            #expect(second.discard(1) == 1)
            #expect(first.discard(1 << 16) > 0, "the rest of the answer")
            #expect(first.isClosedByServer())
            #expect(server.refusals == ["tls_handshake_displaced"])
        }
    }

    @Test func `a free place is the newests of those who wait`() async throws {
        try await withTLS { server in
            var first: TestClient? = try await client(server)
            #expect(first?.discard(1) == 1)
            let second = try await client(server)
            await server.settle()
            let third = try await client(server)
            await server.settle()
            first?.breakOff()
            #expect(third.discard(1) == 1)
            #expect(second.isQuiet)
            third.breakOff()
            #expect(second.discard(1) == 1)
            first = nil
        }
    }

    /// A session is created only when it can be answered; until then only the socket is used.
    @Test func `half a message takes no place and is timed out`() async throws {
        try await withTLS { server in
            var halves: [TestClient] = []
            for count in [0, 1, 4, 5, tls.hello.count - 1] {
                halves.append(try await client(server, sending: count))
            }
            await server.settle()
            let whole = try await client(server)
            #expect(whole.discard(1) == 1)
            whole.breakOff()
            server.clock.advance(seconds: 9)
            await server.settle()
            for half in halves { #expect(half.isQuiet) }
            #expect(!server.refusals.contains("tls_handshake_timeout"))
            server.clock.advance(seconds: 1)
            for half in halves { #expect(half.isClosedByServer()) }
            #expect(server.refusals.filter { $0 == "tls_handshake_timeout" }.count == 5)
        }
    }

    @Test func `messages that come in pieces are answered`() async throws {
        try await withTLS { server in
            let client = try server.client()
            for byte in tls.hello {
                client.send([byte])
                await server.settle()
            }
            #expect(client.discard(1) == 1)
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "\u{16}ab\u{0}\u{1}x"])
    func `what is no handshake is refused at once`(_ text: String) async throws {
        try await withTLS { server in
            let client = try server.client()
            client.send(text)
            #expect(await eventuallyYielding { server.refusals.count == 1 })
            let reason = try #require(server.refusals.first)
            #expect(reason.hasPrefix("tls_"), "\(reason)")
        }
    }
}
