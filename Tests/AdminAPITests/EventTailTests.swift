import Store
import Testing

@testable import AdminAPI

@Suite struct EventTailTests {
    private static func tail(_ sequences: ClosedRange<UInt64>, bytesMax: Int = 1 << 20) -> EventTail
    {
        var tail = EventTail(bytesMax: bytesMax)
        for sequence in sequences {
            tail.append(
                RecordPage.Record(sequence: sequence, bytes: [UInt8](repeating: 0, count: 100)))
        }
        return tail
    }

    @Test func `a page begins after the sequence`() {
        let tail = Self.tail(11...20)
        #expect(tail.page(after: 10, limit: 3)?.records.map(\.sequence) == [11, 12, 13])
        #expect(tail.page(after: 18, limit: 3)?.records.map(\.sequence) == [19, 20])
        #expect(tail.page(after: 18, limit: 3)?.next == 20)
        #expect(tail.page(after: 20, limit: 3)?.records.isEmpty == true)
    }

    @Test func `older sequences are left to the journal`() {
        #expect(Self.tail(11...20).page(after: 9, limit: 3) == nil)
        #expect(EventTail().page(after: 0, limit: 3) == nil)
    }

    @Test func `the oldest records beyond its size are dropped`() {
        let tail = Self.tail(1...10_000, bytesMax: 5000)
        #expect(tail.last == 10_000)
        #expect(tail.page(after: 9940, limit: 1) == nil)
        #expect(tail.page(after: 9950, limit: 100)?.records.count == 50)
    }
}
