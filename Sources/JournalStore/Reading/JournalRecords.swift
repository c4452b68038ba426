import Journal
import Store

/// The records of a journal, read from its files while the committer writes. A reader continues
/// where it stopped; any other place costs a walk through its segment.
package actor JournalRecords: RecordSource {
    /// Thrown through the journal's reader when the page is full.
    private struct PageIsFull: Error {}

    private static let readersMax = 16

    package nonisolated let identity: String?
    private let directory: String
    private let commitFeed: CommitFeed
    /// The most recently used is last.
    private var readers: [JournalReader] = []

    package init(directory: String, identity: StoreIdentity, commitFeed: CommitFeed) {
        self.directory = directory
        self.identity = "\(identity)"
        self.commitFeed = commitFeed
    }

    /// Returns the last record that this process, the journal's only writer, has made durable.
    package nonisolated func lastSequence(
        expecting sequence: UInt64
    ) async throws(ReadFailure) -> UInt64 { commitFeed.durableSequence }

    /// Throws `journal_unreadable`.
    package func page(
        after: UInt64, through last: UInt64, limit: Int, bytesMax: Int
    ) async throws(ReadFailure) -> RecordPage {
        guard after < last else { return RecordPage(after: after) }
        do {
            return try read(after, through: last, limit: limit, bytesMax: bytesMax)
        } catch {
            throw ReadFailure("journal_unreadable", "\(error)", isTemporary: false)
        }
    }

    private func read(
        _ after: UInt64, through last: UInt64, limit: Int, bytesMax: Int
    ) throws -> RecordPage {
        // A reader that throws is not used again.
        var reader = try takeReader(at: after)
        var page = RecordPage(after: after)
        do {
            _ = try reader.read(limit: min(limit, Int(clamping: last - after))) {
                page.append(RecordPage.Record(sequence: $0, bytes: [UInt8]($1)))
                if page.byteCount >= bytesMax { throw PageIsFull() }
            }
        } catch is PageIsFull {}
        if readers.count == Self.readersMax { readers.removeFirst() }
        readers.append(reader)
        return page
    }

    private func takeReader(at sequence: UInt64) throws -> JournalReader {
        if let index = readers.lastIndex(where: { $0.lastSequence == sequence }) {
            return readers.remove(at: index)
        }
        return try Self.reader(directory, after: sequence)
    }

    /// Returns a reader of every whole frame: the caller limits it to durable records.
    package static func reader(
        _ directory: String, after sequence: UInt64, followsChain: Bool = true
    ) throws -> JournalReader {
        var options = JournalOptions()
        options.windowBytes = 256 << 10
        return try JournalReader(
            directory: directory, after: sequence, followsChain: followsChain, options: options)
    }
}
