import CLinux
import Glibc
import Platform
import Testing

@testable import HTTPServer

/// When a plain connection reads, and when it knows that nothing is there.
@Suite struct TransportTests {
    @Test func anEmptiedSocketIsReadAgainOnlyWhenTheKernelSpeaks() async throws {
        try await Self.onLoop { loop in
            var pair: [Int32] = [-1, -1]
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue)
            precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0)
            defer { Glibc.close(pair[1]) }
            let channel = try loop.register(pair[0])
            defer { channel.close() }
            let transport = Transport(channel: channel, tls: nil)
            // What the registration itself reports is not of interest here.
            await loop.yield()

            #expect(transport.mayRead, "nobody has looked yet")
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

    /// Nobody tells of a channel that is not watched, so the socket itself is asked.
    @Test func anUnwatchedSocketIsAskedWhetherItIsEmpty() async throws {
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

    /// How many bytes came; 0 when there were none.
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
