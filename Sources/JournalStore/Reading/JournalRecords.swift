import Journal
import Store
import Synchronization

/// The records of a journal, read from its files while the committer writes. A reader continues
/// where it stopped; any other place costs a walk through its segment.
///
/// Not an actor: `EventLoop` says why.
package final class JournalRecords: RecordSource {
    /// Thrown through the journal's reader when the page is full.
    private struct PageIsFull: Error {}

    /// `@unchecked Sendable`: a reader is used by the one caller that has taken it from the list.
    private struct IdleReader: @unchecked Sendable {
        var reader: JournalReader
    }

    private static let readersMax = 16

    package let identity: String?
    private let directory: String
    private let commitFeed: CommitFeed
    /// The most recently used is last.
    private let idle = Mutex<[IdleReader]>([])

    package init(directory: String, identity: StoreIdentity, commitFeed: CommitFeed) {
        self.directory = directory
        self.identity = "\(identity)"
        self.commitFeed = commitFeed
    }

    /// Returns the last record that this process, the journal's only writer, has made durable.
    package func lastSequence(
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
        putBack(reader)
        return page
    }

    private func takeReader(at sequence: UInt64) throws -> JournalReader {
        let idle = idle.withLock { idle in
            idle.lastIndex { $0.reader.lastSequence == sequence }.map { idle.remove(at: $0) }
        }
        return try idle?.reader ?? Self.reader(directory, after: sequence)
    }

    private func putBack(_ reader: JournalReader) {
        let new = IdleReader(reader: reader)
        idle.withLock { idle in
            if idle.count == Self.readersMax { idle.removeFirst() }
            idle.append(new)
        }
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
