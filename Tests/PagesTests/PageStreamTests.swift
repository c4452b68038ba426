import AdminAPI
import HTTP
import HTTPServer
import Payments
import Platform
import Store
import Synchronization
import TestSupport
import Testing

@testable import Pages

/// The events of a page's stream, on a clock that the test moves.
@Suite struct PageStreamTests {
    private let clock = ManualClock()
    private let places = WaitingPlaces(perRoleMax: 8, perPersonMax: 8)
    private let feed = CommitFeed()
    private let lists = Lists()
    private let presence = ClientPresence()
    private let writer = Pieces()
    private let isAllowed = Flag(true)

    private func run() -> Task<Void, any Error> {
        guard let place = places.take(.admin, "a") else { fatalError("no place is free") }
        let stream = PageStream(
            feed: feed, lists: lists, clock: clock, place: place, presence: presence
        ) { [isAllowed] in isAllowed.value }
        let writer = writer
        return Task { try await stream.run(to: writer) }
    }

    private func record(_ sequence: UInt64) {
        _ = feed.publish(sequence, [])
        feed.announce()
    }

    private func isWaiting() async -> Bool {
        await eventuallyYielding { clock.sleeperCount == 1 }
    }

    private func isSent(_ count: Int) async -> Bool {
        await eventuallyYielding { writer.all.count == count }
    }

    @Test func `a silence sends a tick and a record sends a change`() async throws {
        let running = run()
        #expect(await isWaiting())
        clock.advance(seconds: 4.999)
        lists.catchUp(1)
        record(1)
        #expect(await isSent(2))
        #expect(writer.all.last == "event: change\ndata: 1\n\n", "no tick came before it")
        // The pause after a change, then the time until a tick.
        #expect(await isWaiting())
        clock.advance(milliseconds: 250)
        #expect(await eventuallyYielding { clock.nextDeadline == clock.now.advanced(seconds: 5) })
        clock.advance(seconds: 5)
        #expect(await isSent(3))
        #expect(writer.all.last == "event: tick\ndata: 1\n\n")
        presence.end()
        try await running.value
    }

    /// At most four changes a second are sent, and the last one is not lost.
    @Test func `many records send few changes`() async throws {
        let running = run()
        #expect(await isWaiting())
        lists.catchUp(1000)
        record(1)
        #expect(await isSent(2))
        #expect(await eventuallyYielding { clock.nextDeadline == pauseEnd })
        for sequence: UInt64 in 2...50 { record(sequence) }
        clock.advance(milliseconds: 249)
        #expect(writer.all.count == 2)
        clock.advance(milliseconds: 1)
        #expect(await isSent(3))
        #expect(writer.all.last == "event: change\ndata: 50\n\n")
        presence.end()
        running.cancel()
        _ = await running.result
    }

    private var pauseEnd: MonotonicTime { clock.now.advanced(nanoseconds: 250_000_000) }

    /// The lists must contain the change before the event is sent. After a bounded time it is sent
    /// anyway.
    @Test func `a change waits for the lists for a bounded time`() async throws {
        let running = run()
        #expect(await isWaiting())
        record(1)
        #expect(await eventuallyYielding { clock.nextDeadline == look })
        clock.advance(milliseconds: 20)
        #expect(await eventuallyYielding { clock.nextDeadline == look })
        #expect(writer.all.count == 1)
        lists.catchUp(1)
        clock.advance(milliseconds: 20)
        #expect(await isSent(2))
        let start = clock.now
        record(2)
        #expect(await clock.reaches { writer.all.last == "event: change\ndata: 2\n\n" })
        #expect(clock.now.nanoseconds(since: start) >= 800_000_000)
        presence.end()
        running.cancel()
        _ = await running.result
    }

    private var look: MonotonicTime { clock.now.advanced(nanoseconds: 20_000_000) }

    @Test func `a stream ends with its session`() async throws {
        let running = run()
        #expect(await isWaiting())
        isAllowed.value = false
        clock.advance(seconds: 5)
        try await running.value
        #expect(writer.all.last == "event: end\ndata: 0\n\n")
    }
}

private final class Flag: Sendable {
    private let state: Mutex<Bool>

    init(_ value: Bool) { state = Mutex(value) }

    var value: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

private final class Lists: OrderLists {
    private let known = Mutex(UInt64(0))

    var isBehind: Bool { true }

    func catchUp(_ sequence: UInt64) { known.withLock { $0 = sequence } }

    func sequence() async throws(ReadFailure) -> UInt64 { known.withLock { $0 } }

    func page(_ query: OrderQuery, limit: Int) async throws(ReadFailure) -> OrderListPage {
        OrderListPage(orders: [], limit: limit)
    }

    func overdueCount() async -> Int? { nil }
    func paidHours(since time: Timestamp) async throws(ReadFailure) -> PaidHours {
        PaidHours(rows: [], isCut: false)
    }
}

private final class Pieces: BodyWriter, Sendable {
    private let texts = Mutex<[String]>([])

    var all: [String] { texts.withLock(\.self) }

    func write(_ pieces: [[UInt8]]) async throws(BodyWriterError) {
        let text = String(decoding: pieces.joined(), as: UTF8.self)
        texts.withLock { $0.append(text) }
    }
}
