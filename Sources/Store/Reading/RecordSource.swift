/// The records, for readers of the feed: a journal's files or a database's tables.
package protocol RecordSource: Sendable {
    /// The identity of the store that the sequences belong to, as 32 hexadecimal digits; nil while
    /// a database has not answered yet.
    var identity: String? { get }

    /// The last durable record. `sequence` was read from any instance: if it is beyond the known
    /// end, the end is read again.
    func lastSequence(expecting sequence: UInt64) async throws(ReadFailure) -> UInt64

    /// The records after `after`, up to and including `last`: at most `limit`, and at most
    /// `bytesMax` bytes. Empty if there are none yet.
    func page(
        after: UInt64, through last: UInt64, limit: Int, bytesMax: Int
    ) async throws(ReadFailure) -> RecordPage
}

/// Consecutive records, as stored.
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
    /// Total size of the records.
    package private(set) var byteCount = 0
    /// The sequence after which the page was requested.
    package let after: UInt64

    package init(after: UInt64) { self.after = after }

    package mutating func append(_ record: Record) {
        records.append(record)
        byteCount += record.bytes.count
    }

    /// The sequence after which to continue.
    package var next: UInt64 { records.last?.sequence ?? after }

    /// Requested records that retention has deleted.
    package var gap: ClosedRange<UInt64>? {
        guard let first = records.first?.sequence, first > after + 1 else { return nil }
        return (after + 1)...(first - 1)
    }

    /// Maximum number of records on a page.
    package static let countMax = 1000
    package static let bytesMax = 4 << 20
}

/// The reason why recorded data cannot be read now.
package struct ReadFailure: Error, Sendable, Equatable {
    /// The reason code in answers.
    package var reason: String
    /// A sentence for people.
    package var detail: String
    /// Whether another attempt may succeed; if not, a person has to act.
    package var isTemporary: Bool

    package init(_ reason: String, _ detail: String, isTemporary: Bool = true) {
        self.reason = reason
        self.detail = detail
        self.isTemporary = isTemporary
    }
}
