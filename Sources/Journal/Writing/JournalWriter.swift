import Platform
import SystemPackage

/// Writes a journal. It belongs to one thread; nothing inside is locked.
///
/// Append the records of a batch, then `commit`: when it returns, they are durable. One frame is in
/// flight at any time.
package final class JournalWriter {
    /// Which journal it is.
    package let identity: StoreIdentity
    /// What may be done in its directory beside it, on another thread.
    package let maintenance: JournalMaintenance
    /// Where the journal is, as it was opened.
    package let directory: String
    /// The storage in which the journal's path always means the directory that is locked.
    package let storage: any Storage
    /// The limits that this writer keeps.
    package let options: JournalOptions
    /// What opening found and did.
    package let recovery: RecoveryReport
    /// The sequence of the last durable record; 0 when there is none.
    package private(set) var durableSequence: UInt64
    /// The hash of the last block on disk: note it elsewhere, and `JournalVerifier` can prove later
    /// that the journal still contains everything up to here.
    package private(set) var chainHead: ChainValue

    /// How long the last `fdatasync` took.
    package private(set) var lastSyncNanoseconds: UInt64 = 0

    private var place: JournalPlace?
    private var segment: OpenSegment
    private var frame = FrameBuilder()
    /// As many as `frame.count`; apart, so that an encoder may ask for `nextSequence` while it
    /// fills the frame.
    private var pending: UInt64 = 0
    private var recordChain: ChainValue?
    private var isIdle: Bool
    private var preparer: SegmentPreparer
    private var stopped: JournalError?

    init(
        place: JournalPlace, options: JournalOptions, identity: StoreIdentity,
        clock: RetentionClock, outcome: Recovery.Outcome, preparer: SegmentPreparer
    ) {
        directory = place.directory
        storage = place.storage
        self.place = place
        self.options = options
        self.identity = identity
        maintenance = JournalMaintenance(
            directory: place.directory, storage: place.storage, store: identity, clock: clock)
        self.preparer = preparer
        recovery = outcome.report
        segment = outcome.segment
        durableSequence = outcome.nextSequence - 1
        chainHead = outcome.chain
        recordChain = outcome.recordChain
        isIdle = outcome.isIdle
        self.preparer.begin()
    }

    /// Lets go without a word on disk, as a crash would; `close` is the orderly end.
    deinit { preparer.end() }

    /// The sequence that the next appended record gets. After a failed commit it goes back.
    package var nextSequence: UInt64 { durableSequence + 1 + pending }

    /// Records in the frame that is being built.
    package var pendingCount: Int { Int(pending) }

    /// The frame that is being built, in which a record is where `append` was told to put it.
    package var pendingBytes: [UInt8] { frame.bytes }

    /// Whether a longest record may not fit into this frame any more, so that it is time to commit.
    package var isFrameFull: Bool {
        FrameHeader.frameBytes(
            body: frame.bodyBytes + Format.recordHeaderBytes + options.recordBytesMax)
            > options.frameBytesMax
    }

    /// Appends the record that `encode` appends to the bytes it is given, and returns its sequence.
    /// It is neither durable nor written before `commit` returns. `encode` must only append.
    ///
    /// Throws `recordTooLong`, `frameFull` (commit first), or what stopped the writer.
    @discardableResult
    package func append(_ encode: (inout [UInt8]) -> Void) throws(JournalError) -> UInt64 {
        if let stopped { throw stopped }
        if isFrameFull { throw .frameFull }
        let sequence = nextSequence
        let length = frame.append(encode)
        if length > options.recordBytesMax {
            frame.removeLast(length: length)
            throw .recordTooLong(bytes: length)
        }
        pending += 1
        return sequence
    }

    /// Writes the frame and syncs it: when this returns, every appended record is durable. Without
    /// records it does nothing.
    ///
    /// Throws `noSpace` or `needsSegment` when the frame needs a new segment that cannot be had
    /// now: nothing was written, the records are forgotten, `nextSequence` is back, and a later
    /// commit tries again by itself. Throws `fatal` when writing or syncing failed: the process
    /// must end.
    package func commit() throws(JournalError) {
        if let stopped { throw stopped }
        guard pending > 0 else { return }
        let count = pending
        defer { discard() }
        let bytes = FrameHeader.frameBytes(body: frame.bodyBytes)
        if !segment.hasRoom(for: bytes) { try rotate() }
        try write()
        recordChain = chainHead
        isIdle = false
        durableSequence += count
    }

    /// Forgets the records of the frame that is being built.
    package func discard() {
        frame.reset()
        pending = 0
    }

    /// Says that a quiet second has passed: writes an idle marker, by which readers know that
    /// everything before it is durable. Does nothing when the journal already ends with one, or
    /// while records wait for `commit`.
    package func markIdle() throws(JournalError) {
        if let stopped { throw stopped }
        guard !isIdle, pending == 0 else { return }
        defer { frame.reset() }
        try write()
        isIdle = true
    }

    /// Marks the journal idle if it can, waits for the preparing thread and releases the lock.
    /// Records that were not committed are forgotten.
    package func close() {
        guard place != nil else { return }
        discard()
        // Without the marker a reader waits for one longer; nothing is lost.
        try? markIdle()
        preparer.end()
        // Room for others. What stays behind is removed at the next opening.
        try? storage.unlink(directory + "/" + Format.preparedName)
        if stopped == nil { stopped = .closed }
        place?.unlock(segment)
        place = nil
    }

    /// Why the next segment is not ready although it was tried, while there may still be room in
    /// this one: the store warns of it. Nil when all is well.
    package var preparationFailure: Errno? { preparer.failure }

    /// What a snapshot taken now covers; nil before the first record. Take it between commits.
    package var snapshotPoint: SnapshotPoint? {
        guard let recordChain, durableSequence > 0 else { return nil }
        return SnapshotPoint(sequence: durableSequence, chain: recordChain)
    }

    /// Seals, writes and syncs the frame that was built.
    private func write() throws(JournalError) {
        frame.seal(
            firstSequence: durableSequence + 1, chain: chainHead, salt: segment.header.salt)
        try fatally("pwrite", segment.path) { () throws(Errno) in
            try frame.write { bytes throws(Errno) in try segment.append(bytes) }
        }
        let clock = storage.clock
        let start = clock.now
        try fatally("fdatasync", segment.path) { () throws(Errno) in
            try segment.file.syncContent()
        }
        lastSyncNanoseconds = clock.now.nanoseconds(since: start)
        // A file that was moved or removed under a running server takes writes and syncs as before.
        try stopping { () throws(JournalError) in try place?.check(segment) }
        chainHead = frame.bytes.withUnsafeBytes { ChainValue(hashing: $0) }
    }

    /// Makes sure that the journal is still where it was opened: for a time in which nothing is
    /// written, which looks by itself. Throws `displaced` or `fatal`.
    package func checkPlace() throws(JournalError) {
        if let stopped { throw stopped }
        try stopping { () throws(JournalError) in try place?.check(segment) }
    }

    /// Goes on to the next segment, in the directory that is locked and nowhere else.
    private func rotate() throws(JournalError) {
        try stopping { () throws(JournalError) in
            try place?.check()
            try place?.keepLockFile()
        }
        let file: any StorageFile
        do { file = try preparer.take() } catch { throw .lacking(error) }
        let start = SegmentStart(
            directory: directory, storage: storage, options: options, store: identity)
        let begun: SegmentStart.Begun
        do {
            begun = try start.begin(
                file, number: segment.header.number + 1, firstSequence: durableSequence + 1,
                chain: chainHead)
        } catch {
            if case .fatal = error { stopped = error }
            throw error
        }
        segment = begun.segment
        chainHead = begun.chain
        preparer.begin()
    }

    /// Whatever `check` throws is for good.
    private func stopping(_ check: () throws(JournalError) -> Void) throws(JournalError) {
        do { try check() } catch {
            stopped = error
            throw error
        }
    }

    private func fatally(
        _ operation: String, _ path: String, _ call: () throws(Errno) -> Void
    ) throws(JournalError) {
        do { try call() } catch {
            let failure = JournalError.fatal(operation: operation, path: path, error)
            stopped = failure
            throw failure
        }
    }
}
