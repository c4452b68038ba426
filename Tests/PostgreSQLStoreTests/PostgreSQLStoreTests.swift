import Payments
import PostgreSQL
import PostgreSQLFixture
import Store
import Testing

@testable import PostgreSQLStore

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "\(PostgreSQLServer.notice)"))
struct PostgreSQLStoreTests {
    @Test func `events become durable once in a sequence without gaps`() async throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        #expect(await store.record(.sample("A")).outcome == .recorded(1))
        #expect(await store.record(.sample("A")).outcome == .duplicate(of: 1))
        #expect(await store.record(.sample("B")).outcome == .recorded(2))
        #expect(await store.record(.sample("A", minor: 1)).outcome == .conflict(3))
        #expect(await store.record(.sample("A", minor: 1)).outcome == .duplicate(of: 3))
        #expect(try fixture.sequences() == "1 2 3")
        #expect(store.commitFeed.durableSequence == 3)
        let rows = try fixture.database.psql(
            "SELECT reference, status, amount, flags FROM orders ORDER BY first_sequence")
        #expect(rows == "A|review|1|{conflict,amounts_differ}\nB|paid|4200|{}")
        #expect(
            try fixture.database.psql("SELECT count(*) FROM events WHERE reference = 'A'") == "2")
        await store.close()
        #expect(await store.record(.sample("C")).outcome == .refused(.shuttingDown))
    }

    @Test func `an order is found by ids and references across batches and instances`() async throws
    {
        let fixture = try StoreFixture()
        let other = try StoreFixture(sharing: fixture)
        _ = await fixture.store.record(.sample("A", transaction: "T1"))
        let second = await other.store.record(
            .sample("A", id: "e2", transaction: "T2", status: "failed"))
        #expect(second.outcome == .recorded(2))
        #expect(
            try fixture.database.psql("SELECT status, first_sequence, last_sequence FROM orders")
                == "paid|1|2")
        #expect(try fixture.database.psql("SELECT count(*) FROM alias") == "2")
    }

    @Test func `what the merchant registers is kept once`() async throws {
        let fixture = try StoreFixture()
        #expect(await fixture.store.register(.sample("A")).outcome == .recorded(1))
        #expect(await fixture.store.register(.sample("A")).outcome == .duplicate(of: 1))
        #expect(await fixture.store.register(.sample("A", minor: 1)).outcome == .conflict(1))
        #expect(await fixture.store.record(.sample("A", minor: 9)).outcome == .conflict(2))
        let row = try fixture.database.psql(
            "SELECT status, expected_amount, metadata FROM orders")
        #expect(row == #"review|4200|{"cart":7}"#)
    }

    @Test func `many at once from two instances are one record`() async throws {
        let fixture = try StoreFixture()
        let other = try StoreFixture(sharing: fixture)
        let stores = [fixture.store, other.store]
        let receipts = await withTaskGroup(of: Receipt.self) { group in
            for index in 0..<400 {
                // Every event is sent to both instances.
                group.addTask { await stores[index % 2].record(.sample("R\(index / 2)")) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let recorded = receipts.compactMap { receipt -> UInt64? in
            if case .recorded(let sequence) = receipt.outcome { return sequence }
            return nil
        }
        #expect(recorded.sorted() == Array(1...200))
        let ends = try fixture.database.psql(
            "SELECT count(*), min(sequence), max(sequence) FROM event")
        #expect(ends == "200|1|200")
        #expect(try fixture.database.psql("SELECT sequence FROM head") == "200")
        #expect(try fixture.database.psql("SELECT sum(count) FROM batch") == "200")
    }

    /// A batch that begins during the commit of another may send only its own messages.
    @Test func `batches behind each other keep their connection`() async throws {
        let fixture = try StoreFixture { $0.batchSubmissionsMax = 2 }
        let store = fixture.store
        #expect(await store.record(.sample("first")).outcome == .recorded(1))
        let connections = fixture.link.connections
        let sequences = await withTaskGroup(of: Receipt.self) { group in
            for index in 2...101 {
                // Some need a number for their endpoint first, which is a separate message.
                let endpoint = index % 10 == 0 ? "shop-\(index)" : "shop"
                group.addTask { await store.record(.sample("R\(index)", endpoint: endpoint)) }
            }
            return await group.reduce(into: Set<UInt64>()) { sequences, receipt in
                if case .recorded(let sequence) = receipt.outcome { sequences.insert(sequence) }
            }
        }
        #expect(sequences == Set(2...101))
        #expect(fixture.link.connections == connections, "a batch was run again")
    }

    @Test func `a text that no column can keep harms nobody`() async throws {
        let fixture = try StoreFixture()
        let receipt = await fixture.store.record(.sample("A\u{0}B"))
        #expect(receipt.outcome == .recorded(1))
        #expect(await fixture.store.record(.sample("A\u{0}B")).outcome == .duplicate(of: 1))
        #expect(try fixture.database.psql("SELECT reference FROM orders") == "A\u{fffd}B")
    }

    @Test func `a record that is too long is refused and the others of its batch are not`()
        async throws
    {
        let fixture = try StoreFixture { $0.recordBytesMax = 4096 }
        let long = [UInt8](repeating: 7, count: 8192)
        async let refused = fixture.store.record(.sample("A", body: long))
        async let recorded = fixture.store.record(.sample("B"))
        #expect(await refused.outcome == .refused(.recordTooLong))
        #expect(await recorded.outcome == .recorded(1))
    }

    @Test func `the chain of a batch follows from the stored bytes`() async throws {
        let fixture = try StoreFixture()
        _ = await fixture.store.record(.sample("A"))
        _ = await fixture.store.record(.sample("B"))
        let connection = try fixture.database.connect()
        var chain = [UInt8](repeating: 0, count: 32)
        for sequence in 1...2 {
            let record = try connection.run(
                Command("SELECT record FROM event WHERE sequence = $1").with(Int64(sequence)),
                until: .soon
            ).bytes(0, 0)
            chain = RecordChain.hash(after: chain, first: UInt64(sequence), [record])
        }
        let head = try connection.run(Command("SELECT chain FROM head"), until: .soon)
        #expect(try head.bytes(0, 0) == chain)
    }

    @Test func `partitions are made before they are needed`() async throws {
        let fixture = try StoreFixture()
        _ = await fixture.store.record(.sample("A"))
        try fixture.database.psql("UPDATE head SET sequence = 1999999")
        let other = try StoreFixture(sharing: fixture)
        #expect(await other.store.record(.sample("B")).outcome == .recorded(2_000_000))
        #expect(await other.store.record(.sample("C")).outcome == .recorded(2_000_001))
    }
}
