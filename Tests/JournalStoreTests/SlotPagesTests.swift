import Testing

@testable import JournalStore

/// The pages of a table's slots, and what a snapshot that shares them costs.
@Suite struct SlotPagesTests {
    private static let perPage = SlotPages<UInt64>.slotsPerPage

    @Test(arguments: [0, 1, 511, 512, 513, 1300])
    func `every slot has its place`(count: Int) {
        var slots = SlotPages<UInt64>(repeating: 7, count: count)
        #expect(slots.count == count && slots.isEmpty == (count == 0))
        #expect(Array(slots.pages.joined()) == [UInt64](repeating: 7, count: count))
        for index in 0..<count { slots[index] = UInt64(index) }
        for index in 0..<count where slots[index] != UInt64(index) {
            Issue.record("slot \(index) holds \(slots[index])")
        }
        #expect(Array(slots.pages.joined()) == (0..<UInt64(count)).map { $0 })
    }

    private static func addresses(_ slots: SlotPages<UInt64>) -> [UnsafeRawPointer?] {
        slots.pages.map { page in page.withUnsafeBytes { $0.baseAddress } }
    }

    /// A batch writes into every shard: were a table copied as a whole, all notifications would
    /// wait for all tables.
    @Test func `a write copies one page of what a snapshot shares`() {
        var slots = SlotPages<UInt64>(repeating: 0, count: 10 * Self.perPage)
        let snapshot = slots
        slots[3 * Self.perPage + 1] = 9
        let shared = zip(Self.addresses(slots), Self.addresses(snapshot)).map { $0 == $1 }
        #expect(shared == (0..<10).map { $0 != 3 })
        #expect(snapshot[3 * Self.perPage + 1] == 0 && slots[3 * Self.perPage + 1] == 9)
        // The page is its own now.
        let before = Self.addresses(slots)
        slots[3 * Self.perPage + 2] = 8
        #expect(Self.addresses(slots) == before)
    }

    /// Pieces need not have the size of a page.
    @Test(arguments: [8, 24, 4096, 5000 / 8 * 8, 1 << 20])
    func `bytes in pieces of any length fill the slots`(pieceBytes: Int) {
        let words = (0..<UInt64(1300)).map { $0 &* 0x9e37_79b9_7f4a_7c15 }
        var filled = FilledSlots<UInt64>(repeating: 0, count: words.count)
        words.withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
                #expect(!filled.isFull)
                let end = min(bytes.count, start + pieceBytes)
                let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                let isTaken = filled.append(piece)
                #expect(isTaken)
            }
            #expect(filled.isFull)
            let isTaken = filled.append(UnsafeRawBufferPointer(rebasing: bytes[..<8]))
            #expect(!isTaken)
        }
        #expect(Array(filled.slots.pages.joined()) == words)
    }
}
