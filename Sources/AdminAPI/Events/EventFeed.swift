import Journal
import Store

/// The feed: every durable record in order, from any sequence on. It reads the journal's files
/// beside the intake and never waits for a consumer, nor does the intake for it.
package actor EventFeed {
    private let directory: String
    private let commitFeed: CommitFeed
    private let history: EventHistory
    private let turns = ReaderTurns(EventFeed.turnsMax)
    private var tail = EventTail()
    private var tailReader: JournalReader?

    /// The tail begins anew when it is so far behind: nobody followed it for a while.
    private static let behindMax: UInt64 = 20_000
    /// How many pages are in memory at a time before they are sent.
    private static let turnsMax = 8
    /// How many records before the newest it begins with.
    private static let beginsBefore: UInt64 = 500

    package init(directory: String, commitFeed: CommitFeed) {
        self.directory = directory
        self.commitFeed = commitFeed
        history = EventHistory(directory: directory)
    }

    /// What `use` makes of the page that follows `sequence`, so that few pages are in memory at a
    /// time, however many readers there are. Throws as `page` does.
    nonisolated func page<Value>(
        after sequence: UInt64, limit: Int, bytesMax: Int = EventPage.bytesMax,
        use: (EventPage) -> Value
    ) async throws -> Value {
        try await turns.take {
            use(try await page(after: sequence, limit: limit, bytesMax: bytesMax))
        }
    }

    /// What follows `sequence`: at most `limit` records, none when there is nothing yet. Throws
    /// `JournalError` when the journal cannot be read.
    func page(
        after sequence: UInt64, limit: Int, bytesMax: Int = EventPage.bytesMax
    ) async throws -> EventPage {
        let durable = commitFeed.durableSequence
        guard sequence < durable else { return EventPage(after: sequence) }
        if durable - sequence <= Self.behindMax {
            try follow(to: durable)
            if let page = tail.page(after: sequence, limit: limit, bytesMax: bytesMax) {
                return page
            }
        }
        return try await history.page(
            after: sequence, limit: limit, bytesMax: bytesMax, durable: durable)
    }

    private func follow(to durable: UInt64) throws {
        var reader: JournalReader
        if let tailReader, durable - min(durable, tailReader.lastSequence) <= Self.behindMax {
            reader = tailReader
        } else {
            let start = durable - min(durable, Self.beginsBefore)
            reader = try EventHistory.reader(directory, after: start)
            tail = EventTail()
        }
        // A reader that throws is not used again.
        tailReader = nil
        guard reader.lastSequence < durable else {
            tailReader = reader
            return
        }
        _ = try reader.read(limit: Int(clamping: durable - reader.lastSequence)) {
            tail.append(EventPage.Event(sequence: $0, record: [UInt8]($1)))
        }
        tailReader = reader
    }
}
