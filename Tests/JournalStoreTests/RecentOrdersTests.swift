import JSON
import Journal
import Payments
import Records
import Store
import Testing

@testable import JournalStore

@Suite struct RecentOrdersTests {
    private static func row(_ sequence: UInt64) -> OrderRow? {
        let content = RecordContent(
            sequence: sequence, outcome: .recorded, flags: [],
            order: OrderChange(
                reference: "R-\(sequence)", transaction: nil, previous: nil,
                summary: Order().summary))
        return OrderRow(
            content, endpoint: "antom", received: Timestamp(microseconds: 1), named: nil)
    }

    private static func rows(_ sequences: ClosedRange<UInt64>) -> OrderRows {
        var rows = OrderRows()
        for sequence in sequences { rows.append(sequence, row(sequence)) }
        return rows
    }

    private static func list(_ rows: OrderRows) -> [UInt64] {
        #expect(rows.count == rows.rows.count)
        return rows.rows.map(\.sequence)
    }

    @Test func `taken once and in order`() {
        let recent = RecentOrders(bytesMax: 1 << 20)
        recent.publish(Self.rows(1...2))
        recent.publish(Self.rows(3...3))
        var taken = OrderRows()
        recent.take(&taken)
        #expect(Self.list(taken) == [1, 2, 3])
        recent.publish(Self.rows(4...4))
        recent.take(&taken)
        #expect(Self.list(taken) == [4])
        recent.take(&taken)
        #expect(taken.isEmpty)
    }

    /// More than one piece holds.
    @Test func `many are taken once and in order`() {
        let recent = RecentOrders(bytesMax: 64 << 20)
        for round in UInt64(0)..<30 {
            recent.publish(Self.rows(round * 1000 + 1...(round + 1) * 1000))
        }
        var taken = OrderRows()
        recent.take(&taken)
        #expect(taken.first == 1 && taken.count == 30_000 && taken.byteCount > 256 << 10)
        #expect(Self.list(taken) == Array(1...30_000))
        recent.take(&taken)
        #expect(taken.isEmpty)
        recent.publish(Self.rows(30_001...30_002))
        recent.publish(Self.rows(40_000...40_000))
        recent.take(&taken)
        #expect(Self.list(taken) == [40_000])
    }

    @Test func `who is too slow misses the oldest`() {
        let recent = RecentOrders(bytesMax: Self.rows(1...1).byteCount * 5 / 2)
        for sequence in UInt64(1)...3 { recent.publish(Self.rows(sequence...sequence)) }
        var taken = OrderRows()
        recent.take(&taken)
        #expect(Self.list(taken) == [3])
    }

    /// The committer gives out the rows that are read from the journal.
    @Test func `rows of the committer and of the journal are the same`() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        store.recent.follow()
        _ = await store.record(Samples.submission(Samples.payment("E-1")))
        _ = await store.record(Samples.submission(Samples.payment("E-2", reference: nil)))
        _ = await store.record(Samples.submission(Samples.payment("E-1")))
        _ = await store.register(RegistrationTests.registration())
        var refund = Samples.refund("E-4", reference: "OWN", transaction: "PAY-1")
        refund.alias = "ALIAS"
        _ = await store.record(Samples.submission(refund))
        var about = Samples.payment("E-5")
        about.effect = .none
        _ = await store.record(Samples.submission(about))
        let act = Act(
            .inquire, by: "admin", remote: "unix", endpoint: "antom", provider: "antom",
            reference: "REQ-1", received: Timestamp(microseconds: 7))
        #expect(await store.act(act) == .recorded(6))
        // What is escaped so often that it is too long as text is encoded twice.
        let body = [UInt8](repeating: 1, count: 10_000)
        _ = await store.record(Samples.submission(Samples.payment("E-3"), body: body))
        await store.close()
        var rows = OrderRows()
        store.recent.take(&rows)
        var expected: [OrderRow] = []
        var lastHead: [UInt8] = []
        var reader = try JournalReader(directory: "journal", storage: storage)
        let count = try reader.read { _, record in
            lastHead = try RecordHead.bytes(of: record)
            _ = try JSONDocument(parsing: lastHead)
            #expect(lastHead.count < 1000)
            if let row = try OrderRow(RecordReader(record, [.event, .order])) {
                expected.append(row)
            }
        }
        #expect(count == 7 && rows.count == 7 && rows.first == 1)
        #expect(expected.count == 6)
        #expect(rows.rows == expected)
        #expect(rows.lastHead == lastHead)
    }

    @Test func `nothing is kept while nobody follows`() async throws {
        let store = try Samples.store(on: MemoryStorage())
        _ = await store.record(Samples.submission(Samples.payment("E-1")))
        await store.close()
        var rows = OrderRows()
        store.recent.take(&rows)
        #expect(rows.isEmpty)
    }

    @Test func `what was refused is not given out`() async throws {
        let storage = MemoryStorage()
        let store = try Samples.store(on: storage)
        store.recent.follow()
        storage.setFull(true)
        var recorded: UInt64 = 0
        for number in 0..<400 {
            let payment = Samples.payment("E-\(number)", reference: "R-\(number)")
            let receipt = await store.record(Samples.submission(payment))
            guard let sequence = receipt.sequence else { break }
            recorded = sequence
        }
        // The next one gets the sequence of the refused one.
        storage.setFull(false)
        let next = await store.record(Samples.submission(Samples.payment("E-next")))
        #expect(next.sequence == recorded + 1)
        await store.close()
        var rows = OrderRows()
        store.recent.take(&rows)
        #expect(recorded > 20 && rows.first == 1 && rows.end == recorded + 2)
        #expect(Self.list(rows) == Array(1...recorded + 1))
        #expect(rows.rows.last?.reference == "REQ-1")
        #expect(rows.lastHead.contains(Array("E-next".utf8)))
    }
}
