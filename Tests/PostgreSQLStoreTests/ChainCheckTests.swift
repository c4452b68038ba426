import Testing

@testable import PostgreSQLStore

/// Damage that a check of the chain over the batches finds, without a database.
@Suite struct ChainCheckTests {
    private typealias Batch = ChainCheck.Batch
    private typealias Damage = ChainCheck.Damage

    private func batch(_ first: UInt64, _ count: UInt64, _ chain: UInt8 = 7) -> Batch {
        Batch(first: first, count: count, chain: [UInt8](repeating: chain, count: 32))
    }

    /// The damage at a beginning; nil where there is none.
    private func damage(_ first: UInt64, _ rows: [Batch], partition: UInt64) -> Damage.Reason? {
        do throws(Damage) {
            _ = try ChainCheck(from: first, rows, partition: partition)
            return nil
        } catch {
            #expect(error.sequence == first)
            return error.reason
        }
    }

    @Test func `it begins with the first record that exists`() throws {
        #expect(damage(1, [batch(1, 3)], partition: 1) == nil)
        #expect(damage(1, [], partition: 1) == .batch)
        // A mark has no records.
        #expect(damage(1, [batch(1, 0)], partition: 1) == .batch)
        // The records before it were dropped with their partition, or there never were any.
        #expect(damage(5, [batch(5, 2)], partition: 1) == .sequence)
        #expect(damage(5, [batch(5, 2)], partition: 5) == nil)
        #expect(damage(5, [batch(5, 2), batch(5, 0)], partition: 1) == nil)
    }

    @Test func `the first record has to be in its batch`() throws {
        #expect(damage(5, [batch(2, 3)], partition: 5) == .batch)
        #expect(damage(5, [batch(2, 4)], partition: 5) == nil)
        #expect(damage(5, [batch(5, 2), batch(2, 3)], partition: 5) == nil)
        #expect(damage(5, [batch(5, 2), batch(2, 2)], partition: 5) == .batch)
    }

    @Test func `the hash follows from the batch before`() throws {
        let records: [[UInt8]] = [[1], [2, 3]]
        let before = batch(3, 2)
        let right = RecordChain.hash(after: before.chain, first: 5, records)
        for (chain, isRight) in [(right, true), (before.chain, false)] {
            let own = Batch(first: 5, count: 2, chain: chain)
            var check = try ChainCheck(from: 5, [own, before], partition: 5)
            #expect(check.needsBatch)
            #expect(throws: Damage.self) { try check.begin(own, at: 6) }
            #expect(throws: Damage.self) { try check.begin(nil, at: 5) }
            try check.begin(own, at: 5)
            #expect(try check.add(5, records[0]) == nil)
            guard isRight else {
                #expect(throws: Damage.self) { try check.add(6, records[1]) }
                continue
            }
            #expect(try check.add(6, records[1])?.first == 5)
            #expect(check.needsBatch && check.head == right)
        }
    }

    /// Its hash cannot be computed, but that of the next batch follows from it.
    @Test func `a batch whose beginning is gone is taken as it is`() throws {
        let own = batch(2, 4)
        var check = try ChainCheck(from: 5, [own], partition: 5)
        #expect(!check.needsBatch)
        #expect(try check.add(5, [9])?.first == 2)
        let next = Batch(
            first: 6, count: 1, chain: RecordChain.hash(after: own.chain, first: 6, [[1]]))
        try check.begin(next, at: 6)
        #expect(try check.add(6, [1])?.first == 6)
    }
}
