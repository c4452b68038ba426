/// The records, for readers of the feed: a journal's files or a database's tables.
package protocol RecordSource: Sendable {
    /// Which store the sequences belong to, as 32 hexadecimal digits; nil while it is not known,
    /// because a database has not answered yet.
    var identity: String? { get }

    /// The last durable record. `sequence` was read from some instance: if it is beyond the end as
    /// known here, the end is looked up once more.
    func lastSequence(expecting sequence: UInt64) async throws(ReadFailure) -> UInt64

    /// The records after `after`, up to and including `last`: at most `limit` of them, and no more
    /// once they come to `bytesMax` bytes. Empty when there are none yet.
    func page(
        after: UInt64, through last: UInt64, limit: Int, bytesMax: Int
    ) async throws(ReadFailure) -> RecordPage
}

/// Records one after the other, as they are kept.
package struct RecordPage: Sendable, Equatable {
    package struct Record: Sendable, Equatable {
        package let sequence: UInt64
        /// One JSON object without line breaks.
        package let bytes: [UInt8]

        package init(sequence: UInt64, bytes: [UInt8]) {
            self.sequence = sequence
            self.bytes = bytes
        }
    }

    package private(set) var records: [Record] = []
    /// What their bytes come to.
    package private(set) var byteCount = 0
    /// Where the page was asked to begin.
    package let after: UInt64

    package init(after: UInt64) { self.after = after }

    package mutating func append(_ record: Record) {
        records.append(record)
        byteCount += record.bytes.count
    }

    /// The sequence to go on after.
    package var next: UInt64 { records.last?.sequence ?? after }

    /// Records that were asked for and are no longer kept: retention has deleted them.
    package var gap: ClosedRange<UInt64>? {
        guard let first = records.first?.sequence, first > after + 1 else { return nil }
        return (after + 1)...(first - 1)
    }

    /// What one page holds at most, whatever was asked for.
    package static let countMax = 1000
    package static let bytesMax = 4 << 20
}

/// Why something that is recorded cannot be read now.
package struct ReadFailure: Error, Sendable, Equatable {
    /// The reason code in answers.
    package var reason: String
    /// For people, in one sentence.
    package var detail: String
    /// Whether another try may succeed; if not, a person has to do something.
    package var isTemporary: Bool

    package init(_ reason: String, _ detail: String, isTemporary: Bool = true) {
        self.reason = reason
        self.detail = detail
        self.isTemporary = isTemporary
    }
}
