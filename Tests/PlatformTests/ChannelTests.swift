import Glibc
import Testing

@testable import Platform

@Suite struct ChannelTests {
    @Test func `a waiter wakes when bytes come`() async throws {
        let wake = try await onLoop { loop in
            let pair = SocketPair()
            defer { Glibc.close(pair.theirs) }
            let channel = try loop.register(pair.ours)
            defer { channel.close() }
            channel.beginRead()
            loop.later { pair.theySend(1) }
            return await channel.awaitReadable(until: .never)
        }
        #expect(wake == .ready)
    }

    @Test func `a wait ends at its deadline and not before`() async throws {
        try await onLoop { loop in
            let pair = SocketPair()
            defer { Glibc.close(pair.theirs) }
            let channel = try loop.register(pair.ours)
            defer { channel.close() }
            let deadline = loop.time(inMilliseconds: 30)
            channel.beginRead()
            #expect(await channel.awaitReadable(until: deadline) == .deadline)
            #expect(loop.clock.now >= deadline)
            #expect(await channel.awaitReadable(until: deadline) == .deadline, "at once")
        }
    }

    @Test func `a writer wakes when the peer makes room`() async throws {
        let wakes = try await onLoop { loop in
            let pair = SocketPair()
            defer { Glibc.close(pair.theirs) }
            let channel = try loop.register(pair.ours)
            defer { channel.close() }
            await loop.yield()
            channel.beginWrite()
            pair.fill()
            let stalled = await channel.awaitWritable(until: loop.time(inMilliseconds: 20))
            loop.later { pair.theyReadEverything() }
            return [stalled, await channel.awaitWritable(until: .never)]
        }
        #expect(wakes == [.deadline, .ready])
    }

    @Test func `the peer's end wakes a reader and is remembered`() async throws {
        try await onLoop { loop in
            let pair = SocketPair()
            let channel = try loop.register(pair.ours)
            defer { channel.close() }
            channel.beginRead()
            loop.later { Glibc.close(pair.theirs) }
            #expect(await channel.awaitReadable(until: .never) == .ready)
            #expect(channel.peerClosed && channel.mayRead)
        }
    }

    @Test func `an interrupt ends the present or the next wait`() async throws {
        try await onLoop { loop in
            let pair = SocketPair()
            defer { Glibc.close(pair.theirs) }
            let channel = try loop.register(pair.ours)
            defer { channel.close() }
            channel.beginRead()
            loop.later { channel.interrupt() }
            #expect(await channel.awaitReadable(until: .never) == .interrupted)
            channel.interrupt()
            #expect(await channel.awaitReadable(until: .never) == .interrupted)
            #expect(await channel.awaitReadable(until: loop.time(inMilliseconds: 10)) == .deadline)
        }
    }

    @Test func `closing ends a wait and every later one`() async throws {
        try await onLoop { loop in
            let pair = SocketPair()
            defer { Glibc.close(pair.theirs) }
            let channel = try loop.register(pair.ours)
            channel.beginRead()
            loop.later { channel.close() }
            #expect(await channel.awaitReadable(until: .never) == .interrupted)
            #expect(await channel.awaitReadable(until: .never) == .interrupted)
            #expect(!channel.isOpen)
        }
    }

    @Test func `a broken connection wakes its reader`() async throws {
        try await onLoop { loop in
            let pair = SocketPair()
            defer { Glibc.close(pair.theirs) }
            let channel = try loop.register(pair.ours)
            defer { channel.close() }
            channel.beginRead()
            loop.later { channel.shutdown() }
            #expect(await channel.awaitReadable(until: .never) == .ready)
            var byte: UInt8 = 0
            #expect(recv(channel.descriptor, &byte, 1, 0) == 0)
        }
    }

    /// A connection that closes before it had to wait never enters the epoll.
    @Test func `an opened channel is watched from its first wait on`() async throws {
        try await onLoop { loop in
            let pair = SocketPair()
            defer { Glibc.close(pair.theirs) }
            let channel = loop.open(pair.ours)
            defer { channel.close() }
            pair.theySend(1)
            await loop.yield()
            #expect(!channel.isWatched && !channel.mayRead)
            #expect(await channel.awaitReadable(until: .never) == .ready)
            #expect(channel.isWatched && channel.mayRead, "earlier events are reported too")
        }
    }

    @Test func `an opened channel tells of an end that came before it was watched`() async throws {
        try await onLoop { loop in
            let pair = SocketPair()
            let channel = loop.open(pair.ours)
            defer { channel.close() }
            Glibc.close(pair.theirs)
            channel.watch()
            #expect(!channel.peerClosed)
            await loop.yield()
            #expect(channel.peerClosed)
        }
    }

    /// The epoll refuses an ordinary file, as it refuses everything when the kernel is short of
    /// memory.
    @Test func `a channel that cannot be watched is broken`() async throws {
        try await onLoop { loop in
            let channel = loop.open(Glibc.open("/proc/self/status", O_RDONLY | O_CLOEXEC))
            defer { channel.close() }
            var ended = false
            channel.onPeerClosed = { ended = true }
            #expect(await channel.awaitReadable(until: .never) == .ready)
            #expect(ended && channel.peerClosed)
        }
    }

    /// The kernel may have queued an event for a descriptor that was closed in the same turn.
    @Test func `a slot that is used again gets another token`() async throws {
        try await onLoop { loop in
            var table = ChannelTable()
            let pairs = [SocketPair(), SocketPair()]
            let channels = try pairs.map { try loop.register($0.ours) }
            table.insert(channels[0])
            let first = channels[0].token
            table.remove(channels[0])
            table.insert(channels[1])
            #expect(channels[1].token != first)
            #expect(table[token: first] == nil)
            #expect(table[token: channels[1].token] === channels[1])
            #expect(table[token: 99] == nil)
            for pair in pairs { Glibc.close(pair.theirs) }
            for channel in channels {
                Glibc.close(channel.descriptor)
                _ = Unmanaged.passRetained(channel)
            }
        }
    }
}
