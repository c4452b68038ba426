import Store

/// The feed: every durable record in order, from any sequence on. It reads beside the intake and
/// never waits for a consumer, nor does the intake for it.
///
/// Readers who keep up share the tail, and so one look at the files or the database.
package actor EventFeed {
    private let source: any RecordSource
    private let commitFeed: CommitFeed
    private let turns = ReaderTurns(EventFeed.turnsMax)
    private var tail = EventTail()
    /// The read of new records that is in progress. Readers that arrive meanwhile share it.
    private var following: Task<Result<Void, ReadFailure>, Never>?

    /// Records by which the tail may be behind before it is rebuilt from `beginsBefore`.
    private static let behindMax: UInt64 = 20_000
    /// How many pages are in memory at a time before they are sent.
    private static let turnsMax = 8
    /// Records before the newest with which a rebuilt tail begins.
    private static let beginsBefore: UInt64 = 500

    package init(_ source: any RecordSource, commitFeed: CommitFeed) {
        self.source = source
        self.commitFeed = commitFeed
    }

    /// Which store the sequences belong to. Throws `database_unavailable` while that is not known.
    nonisolated func identity() throws(ReadFailure) -> String {
        if let identity = source.identity { return identity }
        throw ReadFailure("database_unavailable", "the database has not been reached yet")
    }

    /// The last record that readers may be told of.
    nonisolated func lastSequence(expecting sequence: UInt64) async throws(ReadFailure) -> UInt64 {
        let durable = commitFeed.durableSequence
        if sequence <= durable { return durable }
        return try await source.lastSequence(expecting: sequence)
    }

    /// What `use` makes of the page that follows `sequence`, so that few pages are in memory at a
    /// time, however many readers there are.
    nonisolated func page<Value>(
        after sequence: UInt64, limit: Int, bytesMax: Int = RecordPage.bytesMax,
        use: (RecordPage) -> Value
    ) async throws(ReadFailure) -> Value {
        try await turns.take { () throws(ReadFailure) in
            use(try await page(after: sequence, limit: limit, bytesMax: bytesMax))
        }
    }

    /// What follows `sequence`: at most `limit` records, none when there is nothing yet.
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
            // A gap that retention made, or a store that lost its end: the page itself tells.
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
