import Store

/// The feed: every durable record in order, from any sequence. It never waits for a consumer, and
/// the intake never waits for it.
///
/// Readers that keep up share the tail, so that the files or the database are read once.
package actor EventFeed {
    private let source: any RecordSource
    private let commitFeed: CommitFeed
    private let turns = ReaderTurns(EventFeed.turnsMax)
    private var tail = EventTail()
    /// The read of new records that is in progress. Readers that arrive meanwhile share it.
    private var following: Task<Result<Void, ReadFailure>, Never>?

    /// Most records that the tail may lack before it is rebuilt.
    private static let behindMax: UInt64 = 20_000
    /// Most pages in memory at a time.
    private static let turnsMax = 8
    /// Newest records with which a rebuilt tail begins.
    private static let beginsBefore: UInt64 = 500

    package init(_ source: any RecordSource, commitFeed: CommitFeed) {
        self.source = source
        self.commitFeed = commitFeed
    }

    /// Returns the identity of the store. Throws `database_unavailable` while it is unknown.
    nonisolated func identity() throws(ReadFailure) -> String {
        if let identity = source.identity { return identity }
        throw ReadFailure("database_unavailable", "the database has not been reached yet")
    }

    /// Returns the last record that readers may see.
    nonisolated func lastSequence(expecting sequence: UInt64) async throws(ReadFailure) -> UInt64 {
        let durable = commitFeed.durableSequence
        if sequence <= durable { return durable }
        return try await source.lastSequence(expecting: sequence)
    }

    /// Returns the result of `use` on the page after `sequence`. Few pages are in memory at a time,
    /// however many readers there are.
    nonisolated func page<Value>(
        after sequence: UInt64, limit: Int, bytesMax: Int = RecordPage.bytesMax,
        use: (RecordPage) -> Value
    ) async throws(ReadFailure) -> Value {
        try await turns.take { () throws(ReadFailure) in
            use(try await page(after: sequence, limit: limit, bytesMax: bytesMax))
        }
    }

    /// Returns at most `limit` records after `sequence`; none when there are none yet.
    func page(
        after sequence: UInt64, limit: Int, bytesMax: Int = RecordPage.bytesMax
    ) async throws(ReadFailure) -> RecordPage {
        let durable = commitFeed.durableSequence
        guard sequence < durable else { return RecordPage(after: sequence) }
        if durable - sequence <= Self.behindMax {
            try await follow(to: durable)
            if let page = tail.page(after: sequence, limit: limit, bytesMax: bytesMax) {
                return page
            }
        }
        return try await source.page(
            after: sequence, through: durable, limit: limit, bytesMax: bytesMax)
    }

    private func follow(to durable: UInt64) async throws(ReadFailure) {
        while (tail.last ?? 0) < durable {
            let before = tail.last
            let current = following ?? Task { await look(to: durable) }
            following = current
            try await current.value.get()
            // Retention has made a gap, or the store has lost its end: the page itself shows it.
            if tail.last == before { return }
        }
    }

    private func look(to durable: UInt64) async -> Result<Void, ReadFailure> {
        defer { following = nil }
        do throws(ReadFailure) {
            try await extendTail(to: durable)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func extendTail(to durable: UInt64) async throws(ReadFailure) {
        if let last = tail.last, durable - min(durable, last) > Self.behindMax {
            tail = EventTail()
        }
        let start = tail.last ?? (durable - min(durable, Self.beginsBefore))
        let page = try await source.page(
            after: start, through: durable, limit: RecordPage.countMax,
            bytesMax: RecordPage.bytesMax)
        if page.gap != nil { tail = EventTail() }
        for record in page.records { tail.append(record) }
    }
}
