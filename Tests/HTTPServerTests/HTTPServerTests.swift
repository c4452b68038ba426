import HTTP
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import HTTPServer

@Suite(.ownThreads) struct HTTPServerTests {
    @Test func `many loops share one port`() async throws {
        try await withServer(loops: 4) { server in
            #expect(server.server.addresses.count == 1)
            for _ in 0..<40 {
                let answer = try server.client().get()
                #expect(answer.status == 200)
            }
        }
    }

    /// The start may still fail after the addresses were bound. No request is answered before it
    /// has succeeded; early connections are answered then.
    @Test func `connections wait until the server accepts`() async throws {
        let server = try TestServer(limits: Limits(), acceptsAtOnce: false)
        let early = try server.client()
        early.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await server.settle()
        #expect(early.isQuiet)
        #expect(server.handler.requests.load(ordering: .relaxed) == 0)
        server.server.accept()
        server.server.accept()
        #expect(try early.receive().status == 200)
        #expect(try server.client().get().status == 200)
        await server.stop()
    }

    @Test func `a taken port is told with its address`() async throws {
        try await withServer { server in
            let error = #expect(throws: HTTPServer.ListenError.self) {
                try TestServer(server.address, limits: Limits())
            }
            #expect(error?.address == server.address && error?.error == .addressInUse)
        }
    }

    @Test func `a request in flight finishes when the server drains`() async throws {
        // Only the drain ends the idle connection, and nothing ends the busy one.
        try await withServer({
            $0.keepAliveSecondsMax = 86_400
            $0.drainIdleSecondsMax = 1
            $0.drainSecondsMax = 86_400
        }) { server in
            let busy = try server.client()
            let idle = try server.client()
            #expect(try idle.get().status == 200)
            busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(
                await eventuallyYielding { server.handler.requests.load(ordering: .relaxed) == 2 })
            let drain = server.drain()
            // The idle connection is closed only after the listener: no client can connect then.
            let start = server.clock.now
            #expect(
                await eventuallyYielding {
                    server.clock.advance(milliseconds: 20)
                    return !idle.isQuiet
                })
            #expect(server.clock.now >= start.advanced(seconds: 1))
            #expect(idle.isClosedByServer())
            #expect(throws: TestClient.Failure.self) { try server.client() }
            server.handler.gate.open()
            let answer = try busy.receive()
            #expect(answer.body == "waited" && answer.fields["connection"] == "close")
            await server.finish(drain)
        }
    }

    @Test func `a request on its way when the drain begins is served`() async throws {
        try await withServer({
            $0.drainIdleSecondsMax = 60
            $0.drainSecondsMax = 120
        }) { server in
            let client = try server.client()
            #expect(try client.get().status == 200)
            let drain = server.drain()
            let isClosed = await eventuallyYielding { (try? server.client()) == nil }
            #expect(isClosed)
            let answer = try client.get()
            #expect(answer.status == 200 && answer.fields["connection"] == "close")
            await server.finish(drain)
        }
    }

    @Test func `what is still open at the end of the drain is broken off`() async throws {
        try await withServer({ $0.drainSecondsMax = 2 }) { server in
            let client = try server.client()
            client.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(
                await eventuallyYielding { server.handler.requests.load(ordering: .relaxed) == 1 })
            let start = server.clock.now
            await server.finish(server.drain())
            #expect(server.clock.now >= start.advanced(seconds: 2))
            #expect(client.isClosedByServer())
            server.handler.gate.open()
        }
    }

    @Test func `a cancelled drain waits no longer`() async throws {
        try await withServer { server in
            let client = try server.client()
            client.send("GET / HTTP/1.1\r\nHost")
            let drain = server.drain()
            drain.cancel()
            await server.finish(drain)
            #expect(client.isClosedByServer())
        }
    }

    @Test func `other settings hold from the next request and connection on`() async throws {
        try await withServer { server in
            let old = try server.client()
            #expect(try old.get().status == 200)
            var limits = Limits()
            limits.connectionsMax = 2
            limits.bodyBytesMax = 3
            let fresh = TestHandler()
            await server.server.replace(
                ServerSettings(
                    listeners: [ListenerSettings(address: server.address)], limits: limits),
                handler: fresh)
            #expect(try old.get().status == 200)
            #expect(fresh.requests.load(ordering: .relaxed) == 1, "the new handler serves it")
            let next = try server.client()
            next.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n")
            #expect(try next.receive().status == 413)
            let more = try server.client()
            #expect(try more.receive().status == 503, "connectionsMax is 2 now")
            withExtendedLifetime((old, next)) {}
        }
    }
}
