import Glibc
import Journal
import Platform
import Store
import Synchronization

/// Keeps the index behind the intake: one thread of low priority that takes the newest records from
/// memory, and those that it has missed from the journal's files.
package final class Indexer: Sendable {
    private let index: OrderIndex
    private let directory: String
    private let announcements: Announcements
    private let recent: RecentRecords
    private let warn: @Sendable (String) -> Void
    private let signal = WakeSignal()
    private let isStopped = Atomic<Bool>(false)

    /// After so long a pause comes the next transaction: under load one is then worth its cost.
    private static let pauseMicroseconds: UInt32 = 25_000
    /// The pause while many records come: each page of the index is then written for many of them.
    private static let longPauseMicroseconds: UInt32 = 250_000
    /// How many records of one transaction are many: 2,000 a second.
    private static let manyRecords = 50
    /// The pause after a little work. Where all share one processor, this and not the niceness
    /// alone keeps answers quick: a thread that has run little may finish its slice.
    private static let breathMicroseconds: UInt32 = 500
    /// How soon an index that could not be written is tried again.
    private static let retrySeconds: UInt32 = 5
    /// Behind everything that answers somebody.
    private static let niceness: Int32 = 10

    /// Starts at once. `warn` gets a line when the index cannot be filled; orders by reference,
    /// events and the intake do not need it.
    package init(
        _ index: OrderIndex, directory: String, announcements: Announcements,
        recent: RecentRecords, warn: @escaping @Sendable (String) -> Void
    ) {
        self.index = index
        self.directory = directory
        self.announcements = announcements
        self.recent = recent
        self.warn = warn
        let watch = announcements.watchRecords()
        Task.detached { [self] in
            signal.wake()
            for await _ in watch.changes { signal.wake() }
            isStopped.store(true, ordering: .releasing)
            signal.wake()
        }
        PlatformThread.detached(name: "ipnd-index") { [self] in run() }
    }

    /// Ends with the store.
    private func run() {
        PlatformThread.stepBack(niceness: Self.niceness)
        while !isStopped.load(ordering: .acquiring) {
            do {
                try fill()
            } catch {
                warn("the index of orders cannot be filled: \(error)")
                sleep(Self.retrySeconds)
            }
        }
    }

    private func fill() throws {
        recent.follow()
        var heads = RecordHeads()
        var reader: JournalReader?
        while !isStopped.load(ordering: .acquiring) {
            let count = try fill(from: &heads, else: &reader)
            // What came in meanwhile wakes nobody again.
            if count == OrderIndex.recordsPerTransaction || hasMore(in: heads) { continue }
            if count > 0 {
                let isMuch = count >= Self.manyRecords
                usleep(isMuch ? Self.longPauseMicroseconds : Self.pauseMicroseconds)
            }
            signal.wait()
        }
    }

    /// One transaction: from memory, or from the journal's files where that does not reach back far
    /// enough. How many records it took.
    private func fill(
        from heads: inout RecordHeads, else reader: inout JournalReader?
    ) throws -> Int {
        let indexed = index.indexedSequence
        // Asked in this order, what is durable and not among the heads is not in memory at all.
        let durable = announcements.durableSequence
        if !hasMore(in: heads) { recent.take(&heads) }
        if !heads.isEmpty && heads.first <= indexed + 1 {
            reader = nil
            return try index.fill(from: heads) { usleep(Self.breathMicroseconds) }
        }
        let end = heads.isEmpty ? durable : heads.first - 1
        guard indexed < end else { return 0 }
        var current = try reader ?? self.reader(after: indexed)
        defer { reader = current }
        return try index.fill(from: &current, through: end) { usleep(Self.breathMicroseconds) }
    }

    private func hasMore(in heads: RecordHeads) -> Bool {
        !heads.isEmpty && heads.end > index.indexedSequence + 1
    }

    /// The intake has just written these frames; their checksums are enough to trust them.
    private func reader(after sequence: UInt64) throws -> JournalReader {
        try EventHistory.reader(directory, after: sequence, followsChain: false)
    }
}
