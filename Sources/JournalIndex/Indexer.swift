import GRDB
import Glibc
import Journal
import JournalStore
import Platform
import Records
import Store
import Synchronization

/// Fills the index: one thread of low priority that opens and checks it, takes the newest rows from
/// memory, and those that it has missed from the journal's files. An index that is damaged or
/// missing is rebuilt; opening is retried.
///
/// | the index is | lists are | then it is |
/// |---|---|---|
/// | opened and checked, not caught up yet | 503 | filled |
/// | damaged, removed, replaced, truncated | 503 | rebuilt at once; the next time after a pause |
/// | cannot be opened or made (disk full, read-only) | 503 | tried again after a pause |
/// | not writable any more | stale, as `indexed` shows | tried again after a pause |
///
/// Changes to the files are noticed when a list is read or a record is indexed: an idle index wakes
/// no thread.
package final class Indexer: Sendable {
    private let served: ServedIndex
    /// The index's directory.
    private let place: String
    private let directory: String
    private let commitFeed: CommitFeed
    private let recent: RecentOrders
    private let lookUp: IndexRefresh.LookUp
    private let clock: any Clock
    private let warn: @Sendable (String) -> Void
    private let isStopped = Atomic<Bool>(false)

    /// Pause between two transactions: under load each then has many records.
    private static let pauseMicroseconds = 25_000
    /// Pause after a transaction of many records: each page of the index is then written for many.
    private static let longPauseMicroseconds = 250_000
    /// Least records of a transaction that are many: 2,000 a second.
    private static let manyRecords = 50
    /// Pause after a little work. On a single processor the niceness alone does not keep answers
    /// quick: a thread that has run little may finish its time slice.
    private static let sliceMicroseconds = 500
    /// Pause before an index that could not be opened or written is tried again.
    private static let retryMicroseconds = 5_000_000
    /// An index that was damaged again within this time is not rebuilt at once.
    private static let soundSecondsMin = 60
    /// Pause before records that could not be read yet are looked for again.
    private static let lookMicroseconds = 1_000_000
    /// Lower priority than all threads that answer requests.
    private static let niceness: Int32 = 10

    /// Starts at once. `warn` gets a line when the index cannot be opened or filled; orders by
    /// reference, events and the intake do not need it.
    ///
    /// - Parameters:
    ///   - place: the index's directory.
    ///   - directory: the journal's.
    ///   - lookUp: the store's orders; may block.
    package init(
        _ served: ServedIndex, in place: String, directory: String, commitFeed: CommitFeed,
        recent: RecentOrders, lookUp: @escaping @Sendable ([OrderKey]) -> [OrderView?]?,
        clock: any Clock, warn: @escaping @Sendable (String) -> Void
    ) {
        self.served = served
        self.place = place
        self.directory = directory
        self.commitFeed = commitFeed
        self.recent = recent
        self.lookUp = lookUp
        self.clock = clock
        self.warn = warn
        let watch = commitFeed.watchRecords()
        Task.detached(executorPreference: WorkerPool.shared) { [self] in
            served.bell.ring()
            for await _ in watch.changes { served.bell.ring() }
            isStopped.store(true, ordering: .releasing)
            served.bell.end()
        }
        PlatformThread.detached(name: "ipnd-index", niceness: Self.niceness) { [self] in run() }
    }

    /// Ends with the store.
    private func run() {
        recent.follow()
        while !isStopped.load(ordering: .acquiring) {
            let opened = clock.now
            do {
                let index = try OrderIndex(
                    directory: place, journal: directory, clock: clock)
                served.open(index)
                try keep(index)
            } catch  where IndexDamage.isReported(by: error) {
                served.withdraw("the index was damaged and is being rebuilt")
                IndexFiles.remove(OrderIndex.path(in: place))
                served.countRebuild()
                warn("\(place): rebuilding the index of orders: \(IndexDamage.sentence(error))")
                let wasSound = clock.now >= opened.advanced(seconds: Self.soundSecondsMin)
                if !wasSound, served.rebuilds > 1 { pause(Self.retryMicroseconds) }
            } catch {
                let reason = IndexDamage.sentence(error)
                warn("\(place): the index of orders cannot be opened, lists answer 503: \(reason)")
                served.withdraw("the index in \(place) cannot be opened: \(reason)")
                pause(Self.retryMicroseconds)
            }
        }
    }

    /// Fills the index until the store ends. Throws when it is damaged.
    private func keep(_ index: OrderIndex) throws {
        let complete = commitFeed.durableSequence
        while !isStopped.load(ordering: .acquiring) {
            do { try fill(index, complete: complete) } catch {
                if IndexDamage.isReported(by: error) { throw error }
                warn(
                    "\(place): the index of orders cannot be filled: \(IndexDamage.sentence(error))"
                )
                pause(Self.retryMicroseconds)
            }
        }
    }

    /// - Parameter complete: from this sequence on, lists may be answered.
    private func fill(_ index: OrderIndex, complete: UInt64) throws {
        var rows = OrderRows()
        var reader: JournalReader?
        while !isStopped.load(ordering: .acquiring) {
            try served.check(index)
            let count = try fill(index, from: &rows, else: &reader)
            if !served.isAvailable, index.indexedSequence >= complete {
                try IndexRefresh(index, lookUp: lookUp).run { pause(Self.sliceMicroseconds) }
                served.serve()
            } else if count > 0, served.isAvailable {
                try IndexRefresh(index, lookUp: lookUp).run { pause(Self.sliceMicroseconds) }
            }
            // Records that came meanwhile do not ring again.
            if count == OrderIndex.recordsPerTransaction || hasMore(in: rows, than: index) {
                continue
            }
            if count > 0 {
                let isMuch = count >= Self.manyRecords
                pause(isMuch ? Self.longPauseMicroseconds : Self.pauseMicroseconds)
            }
            if index.indexedSequence < commitFeed.durableSequence {
                // Some records cannot be read yet, and nothing announces when they can.
                served.bell.wait(microseconds: Self.lookMicroseconds)
            } else {
                served.bell.wait()
            }
        }
    }

    /// Runs one transaction: from memory, or from the journal's files where memory does not reach
    /// back far enough. Returns the number of records.
    private func fill(
        _ index: OrderIndex, from rows: inout OrderRows, else reader: inout JournalReader?
    ) throws -> Int {
        let indexed = index.indexedSequence
        // Read in this order: a durable record that is not among the rows is not in memory.
        let durable = commitFeed.durableSequence
        if !hasMore(in: rows, than: index) { recent.take(&rows) }
        if !rows.isEmpty && rows.first <= indexed + 1 {
            reader = nil
            return try index.fill(from: rows) { pause(Self.sliceMicroseconds) }
        }
        let end = rows.isEmpty ? durable : rows.first - 1
        guard indexed < end else { return 0 }
        var current = try reader ?? self.reader(after: indexed)
        defer { reader = current }
        return try index.fill(from: &current, through: end) { pause(Self.sliceMicroseconds) }
    }

    private func pause(_ microseconds: Int) { served.bell.pause(microseconds: microseconds) }

    private func hasMore(in rows: OrderRows, than index: OrderIndex) -> Bool {
        !rows.isEmpty && rows.end > index.indexedSequence + 1
    }

    /// This process has just written these frames, so their checksums are enough.
    private func reader(after sequence: UInt64) throws -> JournalReader {
        try JournalRecords.reader(directory, after: sequence, followsChain: false)
    }
}

/// The position of an index of orders, without opening it for use: a journal that ends before it
/// has lost records.
package enum IndexPosition {
    private static let kept = Mutex<[DatabaseQueue]>([])

    /// Returns the last record in the index of `directory`; nil when there is no index, or none
    /// that can be read.
    package static func read(directory: String) -> UInt64? {
        var configuration = Configuration()
        configuration.readonly = true
        guard
            let database = try? DatabaseQueue(
                path: "\(directory)/\(OrderIndex.fileName)", configuration: configuration)
        else { return nil }
        // A start reads once. Freeing GRDB's queue would start libdispatch's threads for good, so
        // the closed connection is kept: see `WorkerPool`.
        kept.withLock { $0.append(database) }
        defer { try? database.close() }
        // Cast: a damaged page may hold something that is not a number.
        let sequence = try? database.read { database in
            try Int64.fetchOne(
                database, sql: "SELECT CAST(sequence AS INTEGER) FROM position WHERE id = 1")
        }
        return sequence.map { UInt64(clamping: $0) }
    }
}
