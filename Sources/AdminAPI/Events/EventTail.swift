import Store

/// The newest records, so that readers that keep up read the journal once.
struct EventTail {
    private var records: [RecordPage.Record] = []
    /// Index of the first record that is still kept; those before are removed in bulk.
    private var start = 0
    private var bytes = 0
    private let bytesMax: Int

    init(bytesMax: Int = 8 << 20) { self.bytesMax = bytesMax }

    /// The last sequence.
    var last: UInt64? { records.last?.sequence }

    mutating func append(_ record: RecordPage.Record) {
        records.append(record)
        bytes += record.bytes.count
        while bytes > bytesMax, start < records.count - 1 {
            bytes -= records[start].bytes.count
            start += 1
        }
        if start > 1024, start > records.count / 2 {
            records.removeFirst(start)
            start = 0
        }
    }

    /// Returns the records after `sequence`; nil when the tail does not reach back so far.
    func page(
        after sequence: UInt64, limit: Int, bytesMax: Int = RecordPage.bytesMax
    ) -> RecordPage? {
        guard start < records.count, records[start].sequence <= sequence + 1 else { return nil }
        // Sequences have no gaps, so the place is their difference.
        let from = start + Int(sequence + 1 - records[start].sequence)
        var page = RecordPage(after: sequence)
        for record in records[min(from, records.count)...].prefix(limit) {
            page.append(record)
            if page.byteCount >= bytesMax { break }
        }
        return page
    }
}
