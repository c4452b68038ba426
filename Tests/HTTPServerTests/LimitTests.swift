import HTTP
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// Every limit at its value and one beyond it.
@Suite(.ownThreads) struct LimitTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let adjust: @Sendable (inout Limits) -> Void
        /// A request whose measured size is `value`.
        let request: @Sendable (_ value: Int) -> String
        let last: Int
        let status: Int
        let reason: String
        var testDescription: String { name }
    }

    static func filled(_ count: Int) -> String { String(repeating: "a", count: count) }

    static let cases: [Case] = [
        Case(
            name: "request line", adjust: { $0.requestLineBytesMax = 100 },
            request: { "GET /\(filled($0 - 14)) HTTP/1.1\r\nHost: a\r\n\r\n" },
            last: 100, status: 414, reason: "request_line_too_long"),
        Case(
            name: "head", adjust: { $0.headBytesMax = 200 },
            request: { "GET / HTTP/1.1\r\nHost: a\r\nX: \(filled($0 - 32))\r\n\r\n" },
            last: 200, status: 431, reason: "head_too_large"),
        Case(
            name: "fields", adjust: { $0.fieldCountMax = 5 },
            request: {
                "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: $0 - 1))\r\n"
            },
            last: 5, status: 431, reason: "fields_too_many"),
        Case(
            name: "body", adjust: { $0.bodyBytesMax = 50 },
            request: { "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \($0)\r\n\r\n\(filled($0))" },
            last: 50, status: 413, reason: "body_too_large"),
        Case(
            name: "chunked body", adjust: { $0.bodyBytesMax = 50 },
            request: {
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "\(String($0, radix: 16))\r\n\(filled($0))\r\n0\r\n\r\n"
            },
            last: 50, status: 413, reason: "body_too_large"),
        Case(
            name: "chunk line", adjust: { $0.chunkLineBytesMax = 20 },
            request: {
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "1;\(filled($0 - 2))\r\nb\r\n0\r\n\r\n"
            },
            last: 20, status: 400, reason: "chunk_line_too_long"),
        Case(
            name: "bodies of all connections", adjust: { $0.bodiesBytesMax = 131_072 },
            request: { "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \($0)\r\n\r\n\(filled($0))" },
            last: 129_000, status: 503, reason: "bodies_limit"),
    ]

    @Test(arguments: cases)
    func `a request at the limit passes and one beyond it is refused`(_ item: Case) async throws {
        try await withServer(item.adjust) { server in
            let client = try server.client()
            client.send(item.request(item.last))
            #expect(try client.receive().status == 200)
            client.send(item.request(item.last + (item.status == 503 ? 4000 : 1)))
            let answer = try client.receive()
            #expect(answer.status == item.status && answer.body == item.reason + "\n")
            #expect((answer.fields["retry-after"] != nil) == (item.status == 503))
            #expect(client.isClosedByServer())
            #expect(server.refusals == [item.reason])
            #expect(try server.client().get().status == 200)
        }
    }

    /// Memory that one connection held is available to the next.
    @Test func `the memory of bodies is given back`() async throws {
        try await withServer({ $0.bodiesBytesMax = 131_072 }) { server in
            for number in 1...5 {
                let client = try server.client()
                client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
                client.send(Self.filled(90_000))
                client.breakOff()
                #expect(await eventuallyYielding { server.refusals.count == number })
                #expect(await eventuallyYielding { server.server.connections == 0 })
            }
            let client = try server.client()
            client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n"
                    + Self.filled(100_000)
            )
            #expect(try client.receive().status == 200)
        }
    }

    @Test func `the last request of a connection is announced`() async throws {
        try await withServer({ $0.requestsPerConnectionMax = 3 }) { server in
            let client = try server.client()
            #expect(try client.get().fields["connection"] == nil)
            #expect(try client.get().fields["connection"] == nil)
            #expect(try client.get().fields["connection"] == "close")
            #expect(client.isClosedByServer())
        }
    }

    @Test func `an old connections next answer is its last`() async throws {
        try await withServer({ $0.connectionSecondsMax = 10 }) { server in
            let client = try server.client()
            #expect(try client.get().status == 200)
            server.clock.advance(milliseconds: 9_999)
            #expect(try client.get().fields["connection"] == nil)
            server.clock.advance(milliseconds: 1)
            #expect(try client.get().fields["connection"] == "close")
            #expect(client.isClosedByServer())
        }
    }

    @Test func `connections beyond the limit get a word and those before stay`() async throws {
        try await withServer({ $0.connectionsMax = 3 }) { server in
            let clients = try (0..<3).map { _ in try server.client() }
            for client in clients { client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n") }
            #expect(
                await eventuallyYielding { server.handler.requests.load(ordering: .relaxed) == 3 })
            let refused = try server.client()
            let answer = try refused.receive()
            #expect(answer.status == 503 && answer.body == "connections_limit\n")
            #expect(answer.fields["retry-after"] == "1")
            server.handler.gate.open()
            for client in clients { #expect(try client.receive().body == "waited") }
            clients[0].breakOff()
            #expect(await eventuallyYielding { server.server.connections < 3 })
            #expect(try server.client().get().status == 200)
        }
    }

    @Test func `when all places are taken the longest idle connection gives up its own`()
        async throws
    {
        try await withServer({ $0.connectionsMax = 3 }) { server in
            let clients = try (0..<3).map { _ in try server.client() }
            clients[0].send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(
                await eventuallyYielding { server.handler.requests.load(ordering: .relaxed) == 1 })
            #expect(try clients[1].get().status == 200)
            #expect(try clients[2].get().status == 200)
            #expect(try server.client().receive().body == "connections_limit\n", "none is idle")
            server.clock.advance(seconds: Double(Displacement.waitSecondsMin))
            // A connection in use keeps its place, as does one whose request is held.
            #expect(try clients[2].get().status == 200)
            #expect(try server.client().get().status == 200)
            #expect(clients[1].isClosedByServer())
            #expect(server.refusals == ["connections_limit", "idle_connection_displaced"])
            #expect(try clients[2].get().status == 200)
            server.handler.gate.open()
            #expect(try clients[0].receive().body == "waited")
        }
    }

    @Test func `when all places are taken the request that is owed longest gives up its own`()
        async throws
    {
        try await withServer({ $0.connectionsMax = 3 }) { server in
            let clients = try (0..<3).map { _ in try server.client() }
            clients[0].send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(
                await eventuallyYielding { server.handler.requests.load(ordering: .relaxed) == 1 })
            clients[1].send("GET / HTTP/1.1\r\nHost: a\r\n")
            clients[2].send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
            await server.settle()
            #expect(try server.client().receive().body == "connections_limit\n", "none is old")
            server.clock.advance(seconds: Double(Displacement.waitSecondsMin))
            clients[2].send("def")
            await server.settle()
            let next = try server.client()
            #expect(try next.get().status == 200)
            #expect(try clients[1].receive().body == "request_displaced\n")
            #expect(clients[1].isClosedByServer())
            // A client whose body makes progress keeps its place.
            #expect(try server.client().receive().body == "connections_limit\n")
            clients[2].send("ghi")
            #expect(try clients[2].receive().body == "abcdefghi")
            #expect(
                server.refusals == ["connections_limit", "request_displaced", "connections_limit"])
            server.handler.gate.open()
            #expect(try clients[0].receive().body == "waited")
        }
    }

    /// An idle connection loses nothing, so it is displaced first, however long another has waited.
    @Test func `an idle connection gives up its place before an unfinished request`() async throws {
        try await withServer({ $0.connectionsMax = 2 }) { server in
            let slow = try server.client()
            slow.send("GET / HTTP/1.1\r\n")
            await server.settle()
            server.clock.advance(seconds: 1)
            let idle = try server.client()
            #expect(try idle.get().status == 200)
            server.clock.advance(seconds: 1)
            #expect(try server.client().get().status == 200)
            #expect(idle.isClosedByServer())
            slow.send("Host: a\r\n\r\n")
            #expect(try slow.receive().status == 200)
            #expect(server.refusals == ["idle_connection_displaced"])
        }
    }

    @Test func `one address has its own limit and a trusted proxy has none`() async throws {
        try await withServer({ $0.connectionsPerPeerMax = 2 }) { server in
            let clients = try (0..<2).map { _ in try server.client() }
            for client in clients { #expect(try client.get().status == 200) }
            #expect(try server.client().receive().body == "connections_per_peer_limit\n")
            withExtendedLifetime(clients) {}
        }
        let proxy = ProxySettings(trusted: [IPNetwork("127.0.0.1/32")!], header: .forwardedFor)
        try await withServer(proxy: proxy, { $0.connectionsPerPeerMax = 2 }) { server in
            let clients = try (0..<5).map { _ in try server.client() }
            for client in clients { #expect(try client.get().status == 200) }
            withExtendedLifetime(clients) {}
        }
    }
}
