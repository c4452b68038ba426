import Payments
import Store
import Testing

@testable import JournalStore

/// Registrations: recorded once, replayed, and announced to readers that wait.
@Suite struct RegistrationTests {
    static func registration(
        _ reference: String = "REQ-1", minor: Int64 = 4200, metadata: String = ""
    ) -> Registration {
        Registration(
            endpoint: "antom", provider: "antom", reference: reference,
            expectation: Expectation(
                amount: Samples.money(minor),
                expires: Timestamp(microseconds: 1_795_244_400_000_000)),
            metadata: Array(metadata.utf8), peer: "127.0.0.1",
            received: Timestamp(microseconds: 1_795_244_400_123_456))
    }

    @Test func `the same again is a duplicate and anything else a conflict`() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        let first = await store.register(Self.registration(metadata: #"{"a":1}"#))
        #expect(first == Receipt(.recorded(1), reference: "REQ-1", status: .pending))
        let same = await store.register(Self.registration(metadata: #"{"a":1}"#))
        #expect(same.outcome == .duplicate(of: 1))
        #expect(await store.register(Self.registration(minor: 1)).outcome == .conflict(1))
        let other = await store.register(Self.registration(metadata: #"{"a":2}"#))
        #expect(other.outcome == .conflict(1))
        #expect(store.statistics.records == 1)
        await store.close()
    }

    @Test func `it is the same after a restart`() async throws {
        let storage = MemoryStorage()
        var store = try Samples.store(on: storage)
        _ = await store.register(Self.registration(metadata: #"{"a":1}"#))
        _ = await store.record(Samples.submission(Samples.payment("E-1", minor: 1)))
        let before = try #require(await store.order(endpoint: "antom", reference: "REQ-1"))
        #expect(before.order.status == .review)
        await store.close()
        store = try Samples.store(on: storage)
        #expect(await store.order(endpoint: "antom", reference: "REQ-1") == before)
        let same = await store.register(Self.registration(metadata: #"{"a":1}"#))
        #expect(same.outcome == .duplicate(of: 1))
        #expect(await store.register(Self.registration(minor: 1)).outcome == .conflict(1))
        await store.close()
    }

    @Test func `a watch is told of its order only and ends with the store`() async throws {
        let store = try Samples.store(on: MemoryStorage())
        let mine = store.commitFeed.watchOrder(OrderName(endpoint: "antom", reference: "REQ-1"))
        let other = store.commitFeed.watchOrder(OrderName(endpoint: "antom", reference: "REQ-2"))
        let records = store.commitFeed.watchRecords()
        _ = await store.record(Samples.submission(Samples.payment("E-1")))
        var changes = mine.changes.makeAsyncIterator()
        #expect(await changes.next() != nil)
        var news = records.changes.makeAsyncIterator()
        #expect(await news.next() != nil)
        #expect(store.commitFeed.durableSequence == 1)
        await store.close()
        // The other watch got nothing but the end.
        var nothing = other.changes.makeAsyncIterator()
        #expect(await nothing.next() == nil)
        #expect(store.commitFeed.isClosed)
    }

    @Test func `a watch that is dropped is forgotten`() async throws {
        let store = try Samples.store(on: MemoryStorage())
        do {
            let watch = store.commitFeed.watchOrder(
                OrderName(endpoint: "antom", reference: "REQ-1"))
            #expect(store.commitFeed.watchesOrders)
            _ = watch
        }
        #expect(!store.commitFeed.watchesOrders)
        await store.close()
    }
}
