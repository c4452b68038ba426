import Store

/// Reads the store's feed page by page.
struct FeedReader: Sendable {
    let source: any RecordSource
    let commitFeed: CommitFeed
    /// The last record when the service started; 0 if there was none or it was not known.
    private let startedAfter: UInt64

    init(source: any RecordSource, commitFeed: CommitFeed) {
        self.source = source
        self.commitFeed = commitFeed
        startedAfter = commitFeed.durableSequence
    }

    /// The largest page.
    private static let recordsMax = 512
    private static let bytesMax = 1 << 20

    enum Step: Sendable {
        case page(RecordPage)
        /// There is nothing after the position.
        case atEnd
        /// The store ends before the position, with this record: its end was lost.
        case ahead(last: UInt64)
    }

    /// Returns the last record when the service started, so that nothing that was accepted since
    /// then counts as old, however long the state was unavailable.
    func newest() async throws(DeliveryStateFailure) -> UInt64 {
        if startedAfter > 0 { return startedAfter }
        do throws(ReadFailure) { return try await source.lastSequence(expecting: 1) } catch {
            throw DeliveryStateFailure(error)
        }
    }

    /// Reads at most `room` records after `position`.
    func next(after position: UInt64, room: Int) async throws(ReadFailure) -> Step {
        var last = commitFeed.durableSequence
        if position >= last {
            last = try await source.lastSequence(expecting: position)
            if position > last { return .ahead(last: last) }
            guard position < last else { return .atEnd }
        }
        let page = try await source.page(
            after: position, through: last, limit: min(room, Self.recordsMax),
            bytesMax: Self.bytesMax)
        return page.records.isEmpty ? .atEnd : .page(page)
    }
}
