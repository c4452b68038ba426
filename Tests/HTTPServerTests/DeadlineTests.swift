import Glibc
import HTTP
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// Deadlines are points in time: single bytes do not extend them.
@Suite(.ownThreads) struct DeadlineTests {
    /// Sends `drop` each second for nine seconds, during which the server keeps waiting, and
    /// nothing in the tenth.
    private func drip(_ drop: String, _ client: TestClient, _ server: TestServer) async {
        for second in 1...9 {
            client.send(drop)
            server.clock.advance(seconds: 1)
            await server.settle()
            #expect(server.refusals == [] && client.isQuiet, "after \(second) s")
        }
        server.clock.advance(seconds: 1)
    }

    @Test func `a head that drips is timed out`() async throws {
        try await withServer({ $0.headSecondsMax = 10 }) { server in
            let client = try server.client()
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ")
            #expect(await server.waits(seconds: 10))
            await drip("y", client, server)
            #expect(try client.receive().body == "head_timeout\n")
        }
    }

    @Test(arguments: [
        ("Content-Length: 100000", "y"), ("Transfer-Encoding: chunked", "1\r\ny\r\n"),
    ])
    func `a body that drips is timed out`(_ field: String, _ drop: String) async throws {
        try await withServer({
            $0.bodySecondsMax = 10
            $0.bodyIdleSecondsMax = 600
        }) { server in
            let client = try server.client()
            client.send("POST / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
            #expect(await server.waits(seconds: 10))
            await drip(drop, client, server)
            #expect(try client.receive().body == "body_timeout\n")
        }
    }

    @Test func `a body that pauses is timed out`() async throws {
        try await withServer({
            $0.bodyIdleSecondsMax = 10
            $0.bodySecondsMax = 600
        }) { server in
            let client = try server.client()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
            #expect(await server.waits(seconds: 10))
            server.clock.advance(milliseconds: 9_999)
            await server.settle()
            #expect(server.refusals == [] && client.isQuiet)
            server.clock.advance(milliseconds: 1)
            #expect(try client.receive().body == "body_idle_timeout\n")
        }
    }

    @Test func `an idle connection is closed without a word`() async throws {
        try await withServer({ $0.keepAliveSecondsMax = 10 }) { server in
            let fresh = try server.client()
            let used = try server.client()
            #expect(try used.get().status == 200)
            #expect(await eventuallyYielding { server.server.connections == 2 })
            await server.settle()
            server.clock.advance(milliseconds: 9_999)
            await server.settle()
            #expect(server.server.connections == 2 && fresh.isQuiet && used.isQuiet)
            server.clock.advance(milliseconds: 1)
            #expect(fresh.isClosedByServer() && used.isClosedByServer())
            #expect(server.refusals == [])
        }
    }

    /// The empty line that may precede a request (RFC 9112 §2.2) does not start one.
    @Test func `empty lines buy no time`() async throws {
        try await withServer({ $0.keepAliveSecondsMax = 10 }) { server in
            let client = try server.client()
            #expect(await server.waits(seconds: 10))
            server.clock.advance(seconds: 9)
            client.send("\r\n")
            await server.settle()
            #expect(server.server.connections == 1 && client.isQuiet)
            server.clock.advance(seconds: 1)
            #expect(client.isClosedByServer())
        }
    }

    @Test func `a reader that takes nothing is dropped`() async throws {
        try await withServer({ $0.writeStallSecondsMax = 10 }) { server in
            let client = try TestClient(server.address, receiveBytes: 4096)
            let start = server.clock.now
            client.send("GET /large?50000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await server.waits(seconds: 10))
            // The kernel may still have taken some bytes; each time it does, ten more seconds
            // begin.
            #expect(await server.clock.reaches { server.refusals == ["write_stalled"] })
            #expect(server.clock.now >= start.advanced(seconds: 10))
            #expect(await eventuallyYielding { server.server.connections == 0 })
            withExtendedLifetime(client) {}
        }
    }

    /// The kernel reports room only when much of the buffer is free, so small reads are no
    /// progress.
    @Test func `a reader that sips is dropped too`() async throws {
        try await withServer({ $0.writeStallSecondsMax = 10 }) { server in
            let client = try TestClient(server.address, receiveBytes: 4096)
            client.send("GET /large?50000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await server.waits(seconds: 10))
            // Ten bytes a second. If bytes extended the deadline, this loop would run to its end.
            for _ in 0..<3000 where server.refusals.isEmpty && client.discard(1) == 1 {
                server.clock.advance(milliseconds: 100)
                await server.server.turn()
            }
            #expect(await eventuallyYielding { server.refusals == ["write_stalled"] })
        }
    }

    @Test func `after its last answer a connection lingers only so long`() async throws {
        try await withServer({ $0.lingerSecondsMax = 10 }) { server in
            let client = try server.client()
            client.send("nonsense\r\n\r\n")
            #expect(try client.receive().status == 400)
            #expect(await server.waits(seconds: 10))
            for _ in 1...9 {
                server.clock.advance(seconds: 1)
                #expect(client.send("more"))
                await server.settle()
                #expect(server.server.connections == 1)
            }
            server.clock.advance(seconds: 1)
            #expect(await eventuallyYielding { server.server.connections == 0 })
            #expect(await eventuallyYielding { !client.send("more") })
        }
    }
}
