import Platform
import TLS
import TestSupport
import Testing

@testable import RawClient

@Suite(.ownThreads) struct RawClientTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let post = Array(
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi".utf8)

    private let clock = ManualClock()

    /// A client whose limits pass only when the test moves the clock.
    private func client(_ server: LocalServer) -> RawClient {
        var limits = ClientLimits()
        limits.exchangeMillisecondsMax = 10_000
        return RawClient(
            Destination(place: .host("127.0.0.1", port: server.port)), limits: limits,
            clock: clock)
    }

    @Test func `a kept connection carries the next request`() throws {
        let server = try LocalServer([[.answer(Self.ok), .answer(Self.ok)]])
        let client = client(server)
        for _ in 0..<2 { #expect(try client.exchange(Self.post).body == Array("ok".utf8)) }
        #expect(client.connections == 1)
        #expect(
            server.requests
                == Array(repeating: String(decoding: Self.post, as: UTF8.self), count: 2))
    }

    @Test func `a connection that the server closed is replaced`() throws {
        let server = try LocalServer([[.answer(Self.ok)], [.answer(Self.ok)]])
        let client = client(server)
        for _ in 0..<2 { #expect(try client.exchange(Self.post).status == 200) }
        #expect(client.connections == 2)
    }

    /// Also if the server announces that it closes but does not.
    @Test func `connection close is obeyed`() throws {
        let closing = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        let server = try LocalServer([[.answer(closing), .answer(Self.ok)], [.answer(Self.ok)]])
        let client = client(server)
        for _ in 0..<2 { #expect(try client.exchange(Self.post).status == 200) }
        #expect(client.connections == 2)
    }

    @Test func `a body may end with the connection`() throws {
        let server = try LocalServer([[.answer("HTTP/1.1 200 OK\r\n\r\nall of it")]])
        #expect(try client(server).exchange(Self.post).body == Array("all of it".utf8))
    }

    @Test func `silence is a timeout`() async throws {
        let server = try LocalServer([[.silence]])
        let start = clock.now
        let failure = Box<ClientError?>(nil)
        let thread = PlatformThread(name: "test-client") {
            let client = client(server)
            do throws(ClientError) { _ = try client.exchange(Self.post) } catch {
                failure.set(error)
            }
        }
        #expect(await eventuallyYielding { server.requests.count == 1 })
        #expect(await eventuallyYielding { clock.nextDeadline == start.advanced(seconds: 10) })
        clock.advance(milliseconds: 9_999)
        #expect(failure.get() == nil)
        clock.advance(milliseconds: 1)
        thread.join()
        #expect(failure.get() == .timedOut(.answer))
    }

    @Test func `an end without an answer is told`() throws {
        let server = try LocalServer([[.close]])
        let client = client(server)
        #expect(throws: ClientError.closed(afterBytes: 0)) { try client.exchange(Self.post) }
    }

    @Test func `garbage is told from silence`() throws {
        let server = try LocalServer([[.answer("220 smtp ready\r\n\r\n")]])
        let client = client(server)
        #expect(throws: ClientError.malformed("the status line is missing")) {
            try client.exchange(Self.post)
        }
    }

    @Test func `nobody listens`() throws {
        let server = try LocalServer(listens: false) { _ in }
        let port = server.port
        let client = RawClient(Destination(place: .host("127.0.0.1", port: port)))
        let error = #expect(throws: ClientError.self) { try client.exchange(Self.post) }
        #expect(error == .refused("127.0.0.1:\(port)"))
        #expect(error?.isConnectFailure == true)
        #expect(server.requests.isEmpty)
    }

    @Test func `a socket file that is not there is unreachable`() {
        let client = RawClient(Destination(place: .unix(path: "/nonexistent/ipnd.sock")))
        let error = #expect(throws: ClientError.self) { try client.exchange(Self.post) }
        #expect(error?.reason == "unreachable")
    }

    @Test func `TLS to a plain server fails in the handshake`() throws {
        let server = try LocalServer([[.hangUp]])
        let client = RawClient(
            Destination(place: .host("127.0.0.1", port: server.port), usesTLS: true),
            tls: try TLSClient(trust: .anyone))
        let error = #expect(throws: ClientError.self) { try client.exchange(Self.post) }
        #expect(["connection_lost", "connection_closed", "tls_handshake"].contains(error?.reason))
    }

    @Test func `a name that does not exist is told`() {
        let client = RawClient(Destination(place: .host("ipnd.invalid", port: 80)))
        let error = #expect(throws: ClientError.self) { try client.exchange(Self.post) }
        #expect(error?.reason == "name_not_resolved")
    }
}
