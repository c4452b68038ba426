import Testing

@testable import JournalStore

@Suite struct TableGrowthTests {
    /// The size of a shard's table with this many entries.
    private func capacity(_ shard: Int, entries: Int) -> Int {
        let growth = TableGrowth(shard: shard)
        var capacity = 0
        while entries * 20 > capacity * 17 { capacity = growth.capacity(above: capacity) }
        return capacity
    }

    @Test(arguments: [1000, 3906, 10_000, 19_531])
    func `of all shards few grow in the same tenth more`(entries: Int) {
        let growing = (0..<StoreShard.count).filter {
            capacity($0, entries: entries) < capacity($0, entries: entries * 11 / 10)
        }
        // The logarithm of 1.1 to the base 1.5 is 0.24.
        #expect(growing.count > 40 && growing.count < 80)
    }

    @Test(arguments: [0, 1, 100, 255])
    func `a table becomes half as large again`(shard: Int) {
        let growth = TableGrowth(shard: shard)
        var last = growth.capacity(above: 0)
        #expect(last >= 16 && last < 24)
        for _ in 0..<30 {
            let next = growth.capacity(above: last)
            #expect(abs(Double(next) / Double(last) - 1.5) < 0.05)
            last = next
        }
    }

    @Test func `a size of another series is left by an eighth at least`() {
        let growth = TableGrowth(shard: 77)
        for capacity in 16..<5000 {
            let next = growth.capacity(above: capacity)
            #expect(next > capacity * 9 / 8 && next <= capacity * 7 / 4)
        }
    }
}
