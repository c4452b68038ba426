import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// The memory held by slow readers is bounded, shared bytes are counted once, and the slowest is
/// dropped.
@Suite(.ownThreads) struct AnswerMemoryTests {
    private final class Drops: Sendable {
        private let numbers = Mutex<[UInt64]>([])
        var all: [UInt64] { numbers.withLock(\.self) }
        func add(_ number: UInt64) { numbers.withLock { $0.append(number) } }
    }

    private let memory = AnswerMemory(bytesMax: 100_000)
    private let drops = Drops()

    private func hold(_ pieces: [[UInt8]]) -> UInt64? {
        memory.hold(pieces[...]) { [drops] in drops.add($0) }
    }

    private static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0x20, count: count) }

    @Test func `bytes that several wait for are counted once`() throws {
        let record = Self.bytes(50_000)
        let own = (0..<10).map { _ in Self.bytes(100) }
        let waits = try own.map { try #require(hold([$0, record])) }
        #expect(memory.heldBytes == 50_000 + 10 * 100)
        for wait in waits.dropLast() { memory.release(wait) }
        #expect(memory.heldBytes == 50_100)
        memory.release(try #require(waits.last))
        #expect(memory.heldBytes == 0)
        #expect(drops.all == [])
        withExtendedLifetime((own, record)) {}
    }

    @Test func `whoever waits longest gives way`() throws {
        let arrays = (0..<6).map { _ in Self.bytes(30_000) }
        let waits = try arrays.map { try #require(hold([$0])) }
        #expect(drops.all == Array(waits[..<3]))
        #expect(memory.heldBytes == 90_000)
        #expect(memory.dropped == 3)
        // Dropped waits end later; they are no longer counted.
        for wait in waits { memory.release(wait) }
        #expect(memory.heldBytes == 0)
        withExtendedLifetime(arrays) {}
    }

    @Test func `an answer beyond the limit is refused and drops nobody`() throws {
        let small = Self.bytes(30_000)
        let wait = try #require(hold([small]))
        #expect(hold([Self.bytes(100_001)]) == nil)
        #expect(drops.all == [])
        #expect(memory.heldBytes == 30_000)
        memory.release(wait)
        withExtendedLifetime(small) {}
    }

    @Test func `few bytes are not counted`() {
        let few = Self.bytes(AnswerMemory.freeBytes)
        #expect(hold([few]) == 0)
        #expect(memory.heldBytes == 0)
        memory.release(0)
    }

    @Test func `a smaller limit holds from the next answer on`() throws {
        let (first, second) = (Self.bytes(40_000), Self.bytes(20_000))
        let wait = try #require(hold([first]))
        memory.set(bytesMax: 50_000)
        #expect(drops.all == [])
        _ = hold([second])
        #expect(drops.all == [wait])
        #expect(memory.heldBytes == 20_000)
        withExtendedLifetime((first, second)) {}
    }

    /// Five clients do not read their 16 MiB, where three have room: the first two are dropped, and
    /// a client that reads is served as usual.
    @Test func `slow clients are dropped and others are served`() async throws {
        let bytes = 16 << 20
        try await withServer({
            $0.answersBytesMax = 3 * bytes + (1 << 20)
            $0.writeStallSecondsMax = 600
        }) { server in
            var slow: [TestClient] = []
            for number in 1...5 {
                slow.append(try TestClient(server.address, receiveBytes: 4096))
                slow[number - 1].send("GET /large?\(bytes) HTTP/1.1\r\nHost: a\r\n\r\n")
                let held = min(number, 3)
                #expect(
                    await eventuallyYielding {
                        let readers = server.server.readers
                        return readers.dropped == number - held
                            && readers.heldBytes / bytes == held
                    })
            }
            #expect(
                await eventuallyYielding {
                    server.refusals == ["reader_dropped", "reader_dropped"]
                })
            #expect(await eventuallyYielding { server.server.connections == 3 })
            #expect(try server.client().get("/large?1000000").body.utf8.count == 1_000_000)
            for client in slow { client.resetOnClose() }
            slow = []
            #expect(await eventuallyYielding { server.server.readers.heldBytes == 0 })
        }
    }

    @Test func `an answer beyond the limit ends its connection alone`() async throws {
        try await withServer({ $0.answersBytesMax = 1 << 20 }) { server in
            let slow = try TestClient(server.address, receiveBytes: 4096)
            slow.send("GET /large?\(64 << 20) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await eventuallyYielding { server.refusals == ["answers_limit"] })
            #expect(try server.client().get().status == 200)
        }
    }
}
