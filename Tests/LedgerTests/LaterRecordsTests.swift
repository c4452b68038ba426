import Testing

@testable import Ledger

/// The records of a full order are counted.
@Suite struct LaterRecordsTests {
    @Test func `a record is counted once`() {
        var records = LaterRecords()
        for sequence: UInt64 in [7, 9, 9, 7, 12] { records.add(sequence) }
        #expect(records.count == 3 && records.last == 12)
        #expect(LaterRecords(bytes: records.bytes[...]) == records)
    }
}
