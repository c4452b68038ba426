import Glibc
import HTTP
import Platform
import TestSupport
import Testing

@testable import HTTPServer

/// Deadlines are points in time: a byte now and then buys none.
@Suite(.serialized) struct DeadlineTests {
    /// Sends `drops` one after the other until the server has said something or closed.
    private func drip(_ client: TestClient, _ drop: String) {
        while client.isQuiet(milliseconds: 50) { client.send(drop) }
    }

    @Test func aHeadThatDripsIsTimedOut() async throws {
        try await withServer({ $0.headSecondsMax = 1 }) { server in
            let client = try server.client()
            client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ")
            let time = seconds { drip(client, "y") }
            #expect(try client.receive().body == "head_timeout\n")
            #expect(time > 0.9 && time < 5, "\(time)")
        }
    }

    @Test func aBodyThatDripsIsTimedOut() async throws {
        try await withServer({ $0.bodySecondsMax = 1 }) { server in
            let client = try server.client()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n")
            let time = seconds { drip(client, "y") }
            #expect(try client.receive().body == "body_timeout\n")
            #expect(time > 0.9 && time < 5, "\(time)")
        }
    }

    @Test func aChunkedBodyThatDripsIsTimedOut() async throws {
        try await withServer({ $0.bodySecondsMax = 1 }) { server in
            let client = try server.client()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            drip(client, "1\r\ny\r\n")
            #expect(try client.receive().body == "body_timeout\n")
        }
    }

    @Test func aBodyThatPausesIsTimedOut() async throws {
        try await withServer({ $0.bodyIdleSecondsMax = 1 }) { server in
            let client = try server.client()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
            #expect(try client.receive().body == "body_idle_timeout\n")
        }
    }

    @Test func anIdleConnectionIsClosedWithoutAWord() async throws {
        try await withServer({ $0.keepAliveSecondsMax = 1 }) { server in
            let fresh = try server.client()
            let used = try server.client()
            #expect(try used.get().status == 200)
            #expect(fresh.isClosedByServer() && used.isClosedByServer())
            #expect(server.refusals == [])
        }
    }

    /// The empty line that may precede a request (RFC 9112 §2.2) starts none.
    @Test func emptyLinesBuyNoTime() async throws {
        try await withServer({ $0.keepAliveSecondsMax = 1 }) { server in
            let client = try server.client()
            client.send("\r\n")
            #expect(client.isClosedByServer())
        }
    }

    @Test func aReaderThatTakesNothingIsDropped() async throws {
        try await withServer({ $0.writeStallSecondsMax = 1 }) { server in
            let client = try TestClient(server.address, receiveBytes: 4096)
            client.send("GET /large?50000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await eventuallyYielding { server.refusals == ["write_stalled"] })
            #expect(await eventuallyYielding { server.server.connections == 0 })
            withExtendedLifetime(client) {}
        }
    }

    /// The kernel tells of room only when much of the buffer is free, so sips are no progress.
    @Test func aReaderThatSipsIsDroppedToo() async throws {
        try await withServer({ $0.writeStallSecondsMax = 1 }) { server in
            let client = try TestClient(server.address, receiveBytes: 4096)
            client.send("GET /large?50000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            let time = seconds {
                while server.refusals.isEmpty, client.discard(1) == 1 {
                    // A thousand bytes a second, at the most.
                    poll(nil, 0, 1)
                }
            }
            #expect(await eventuallyYielding { server.refusals == ["write_stalled"] })
            #expect(time < 10, "\(time)")
        }
    }

    @Test func afterItsLastAnswerAConnectionLingersOnlySoLong() async throws {
        try await withServer({ $0.lingerSecondsMax = 1 }) { server in
            let client = try server.client()
            client.send("nonsense\r\n\r\n")
            #expect(try client.receive().status == 400)
            let time = seconds { while client.send("more") {} }
            #expect(time < 5, "\(time)")
            #expect(await eventuallyYielding { server.server.connections == 0 })
        }
    }
}
