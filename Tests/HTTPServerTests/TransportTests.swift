import CLinux
import Glibc
import Platform
import Testing

@testable import HTTPServer

/// When a plain connection reads, and when it can skip a read.
@Suite struct TransportTests {
    @Test func `an emptied socket is read again only when the kernel speaks`() async throws {
        try await Self.onLoop { loop in
            var pair: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0)
            defer { Glibc.close(pair[1]) }
            let channel = try loop.register(pair[0])
            defer { channel.close() }
            let transport = Transport(channel: channel, tls: nil)
            // Discards the events of the registration itself.
            await loop.yield()

            #expect(transport.mayRead, "nothing was read yet")
            #expect(Self.read(transport, atMost: 2) == 0 && !transport.mayRead)
            _ = Glibc.send(pair[1], [1, 2, 3], 3, 0)
            #expect(!transport.mayRead, "the kernel has not spoken")
            await loop.yield()
            #expect(transport.mayRead)
            #expect(Self.read(transport, atMost: 2) == 2)
            #expect(transport.mayRead, "there was more than the buffer holds")
            #expect(Self.read(transport, atMost: 2) == 1 && !transport.mayRead)

            shutdown(pair[1], Int32(SHUT_WR))
            await loop.yield()
            #expect(transport.mayRead)
            guard case .end = transport.read(into: loop.scratch) else {
                Issue.record("the end was not seen")
                return
            }
            #expect(transport.mayRead, "an end stays one")
        }
    }

    /// The kernel does not report events of a channel that is not watched, so the socket is read.
    @Test func `an unwatched socket is asked whether it is empty`() async throws {
        try await Self.onLoop { loop in
            var pair: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0)
            let channel = loop.open(pair[0])
            defer { channel.close() }
            let transport = Transport(channel: channel, tls: nil)
            #expect(Self.read(transport, atMost: 2) == 0)
            #expect(transport.isEmpty(trying: loop.scratch))
            _ = Glibc.send(pair[1], [1, 2, 3], 3, 0)
            #expect(!transport.isEmpty(trying: loop.scratch))
            #expect(transport.isEmpty(trying: loop.scratch), "they were read")
            Glibc.close(pair[1])
            #expect(transport.isEmpty(trying: loop.scratch), "an end resets nothing")
            #expect(!channel.isWatched)
        }
    }

    /// Bytes that are sent with the end of the stream have been sent when the end is reported,
    /// whatever arrives afterwards.
    @Test func `last bytes leave with the end though the client goes on sending`() async throws {
        try await Self.onLoop { loop in
            let (server, client) = Self.connected()
            defer { Glibc.close(client) }
            let channel = loop.open(server)
            let transport = Transport(channel: channel, tls: nil)
            let answer: [UInt8] = [1, 2, 3]
            let step = answer.withUnsafeBytes { transport.write($0, isLast: true) }
            guard case .bytes(3) = step else {
                Issue.record("\(step)")
                return
            }
            _ = Glibc.send(client, [9], 1, 0)
            transport.shutdownWrite()
            channel.close()
            var buffer = [UInt8](repeating: 0, count: 8)
            #expect(Glibc.recv(client, &buffer, 8, 0) == 3)
            #expect(buffer.prefix(3) == [1, 2, 3])
        }
    }

    /// The two ends of a TCP connection.
    private static func connected() -> (Int32, Int32) {
        let kind = Int32(SOCK_STREAM.rawValue)
        let listener = socket(AF_INET, kind, 0)
        defer { Glibc.close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let client = socket(AF_INET, kind, 0)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                precondition(bind(listener, $0, size) == 0 && listen(listener, 1) == 0)
                precondition(getsockname(listener, $0, &size) == 0)
                precondition(connect(client, $0, size) == 0)
            }
        }
        return (accept(listener, nil, nil), client)
    }

    /// Number of bytes read; 0 if there were none.
    private static func read(_ transport: Transport, atMost count: Int) -> Int {
        let buffer = UnsafeMutableRawBufferPointer(
            rebasing: transport.channel.loop.scratch[..<count])
        guard case .bytes(let read) = transport.read(into: buffer) else { return 0 }
        return read
    }

    private static func onLoop(
        _ body: @escaping @Sendable (EventLoop) async throws -> Void
    ) async throws {
        let loop = try EventLoop()
        let thread = loop.start(name: "test-transport")
        defer {
            loop.stop()
            thread.join()
        }
        try await Task(executorPreference: loop) { try await body(loop) }.value
    }
}
