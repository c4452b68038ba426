import Platform
import Records
import Store
import Synchronization

/// The feed: every durable record in order, from any sequence. It never waits for a consumer, and
/// the intake never waits for it.
///
/// Readers that keep up share the tail, so that the files or the database are read once.
///
/// Not an actor: `EventLoop` says why.
package final class EventFeed: Sendable {
    private typealias Read = Task<Result<Void, ReadFailure>, Never>

    private struct State: ~Copyable {
        var tail = EventTail()
        /// The read of new records that is in progress. Readers that arrive meanwhile share it.
        var following: Read?
    }

    let source: any RecordSource
    private let commitFeed: CommitFeed
    let keys: RecordKeys?
    private let turns = Turns(EventFeed.turnsMax)
    private let state = Mutex(State())

    /// Most records that the tail may lack before it is rebuilt.
    private static let behindMax: UInt64 = 20_000
    /// Most pages in memory at a time.
    private static let turnsMax = 8
    /// Newest records with which a rebuilt tail begins.
    private static let beginsBefore: UInt64 = 500

    /// - Parameter keys: Those of sealed records. They stay sealed in the tail, so that one whose
    ///   key was destroyed is nowhere.
    package init(_ source: any RecordSource, commitFeed: CommitFeed, keys: RecordKeys? = nil) {
        self.source = source
        self.commitFeed = commitFeed
        self.keys = keys
    }

    /// Returns an opener for the records of a page, if all of them may be seen; nil where none is
    /// sealed.
    func opener(_ showsAll: Bool) -> RecordOpener? { showsAll ? keys?.opener() : nil }

    /// Whether new records are sealed.
    var isSealed: Bool { keys?.current != nil }

    /// Returns the identity of the store. Throws `database_unavailable` while it is unknown.
    func identity() throws(ReadFailure) -> String {
        if let identity = source.identity { return identity }
        throw ReadFailure("database_unavailable", "the database has not been reached yet")
    }

    /// Returns the last record that readers may see.
    func lastSequence(expecting sequence: UInt64) async throws(ReadFailure) -> UInt64 {
        let durable = commitFeed.durableSequence
        if sequence <= durable { return durable }
        return try await source.lastSequence(expecting: sequence)
    }

    /// Returns the result of `use` on the page after `sequence`. Few pages are in memory at a time,
    /// however many readers there are.
    func page<Value>(
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
            let page = state.withLock {
                $0.tail.page(after: sequence, limit: limit, bytesMax: bytesMax)
            }
            if let page { return page }
        }
        return try await source.page(
            after: sequence, through: durable, limit: limit, bytesMax: bytesMax)
    }

    /// Returns when the tail ends with `durable` or a later record.
    private func follow(to durable: UInt64) async throws(ReadFailure) {
        while let (read, before) = read(to: durable) {
            try await read.value.get()
            // Retention has made a gap, or the store has lost its end: the page itself shows it.
            if state.withLock({ $0.tail.last }) == before { return }
        }
    }

    /// Returns the read in progress, or begins one, and the tail's end before it; nil if the tail
    /// reaches `durable`.
    private func read(to durable: UInt64) -> (Read, before: UInt64?)? {
        state.withLock { state in
            let last = state.tail.last
            guard (last ?? 0) < durable else { return nil }
            let read =
                state.following
                ?? Task(executorPreference: WorkerPool.shared) { await self.look(to: durable) }
            state.following = read
            return (read, last)
        }
    }

    private func look(to durable: UInt64) async -> Result<Void, ReadFailure> {
        let start = state.withLock { state in
            if let last = state.tail.last, durable - min(durable, last) > Self.behindMax {
                state.tail = EventTail()
            }
            return state.tail.last ?? (durable - min(durable, Self.beginsBefore))
        }
        do throws(ReadFailure) {
            let page = try await source.page(
                after: start, through: durable, limit: RecordPage.countMax,
                bytesMax: RecordPage.bytesMax)
            state.withLock { state in
                if page.gap != nil { state.tail = EventTail() }
                for record in page.records { state.tail.append(record) }
                state.following = nil
            }
            return .success(())
        } catch {
            state.withLock { $0.following = nil }
            return .failure(error)
        }
    }
}
