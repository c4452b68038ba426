import Platform
import SystemPackage

/// Writes a journal. It belongs to one thread and has no locks inside.
///
/// Append the records of a batch, then `commit`: when it returns, they are durable. At most one
/// frame is in flight.
package final class JournalWriter {
    /// The journal's identity.
    package let identity: StoreIdentity
    /// Operations in its directory that are allowed beside it, on another thread.
    package let maintenance: JournalMaintenance
    /// The path by which the journal was opened.
    package let directory: String
    /// The storage in which the journal's path always means the locked directory.
    package let storage: any Storage
    /// The limits of this writer.
    package let options: JournalOptions
    /// The result of opening the journal.
    package let recovery: RecoveryReport
    /// The sequence of the last durable record; 0 when there is none.
    package private(set) var durableSequence: UInt64
    /// The hash of the last block on disk. Note it elsewhere, and `JournalVerifier` can prove later
    /// that the journal still contains everything up to here.
    package private(set) var chainHead: ChainValue

    /// Duration of the last `fdatasync`.
    package private(set) var lastSyncNanoseconds: UInt64 = 0

    private var place: JournalPlace?
    private var segment: OpenSegment
    private var frame = FrameBuilder()
    /// Equals `frame.count`; kept apart so that an encoder may read `nextSequence` while it fills
    /// the frame.
    private var pending: UInt64 = 0
    private var recordChain: ChainValue?
    private var isIdle: Bool
    private var preparer: SegmentPreparer
    private var stopped: JournalError?

    private init(
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

    /// Leaves the disk as it is, like a crash; `close` is the orderly end.
    deinit { preparer.end() }

    /// The sequence of the next appended record. A failed commit resets it.
    package var nextSequence: UInt64 { durableSequence + 1 + pending }

    /// Number of records in the frame that is being built.
    package var pendingCount: Int { Int(pending) }

    /// The bytes of the frame that is being built, to which `append` adds the records.
    package var pendingBytes: [UInt8] { frame.bytes }

    /// Whether a record of maximum length may no longer fit into this frame, so that it is time to
    /// commit.
    package var isFrameFull: Bool {
        FrameHeader.frameBytes(
            body: frame.bodyBytes + Format.recordHeaderBytes + options.recordBytesMax)
            > options.frameBytesMax
    }

    /// Appends a record, which `encode` appends to the bytes it is given, and returns its sequence.
    /// It is neither written nor durable before `commit` returns. `encode` must only append.
    ///
    /// Throws `recordTooLong`, `frameFull` (commit first), or the error that stopped the writer.
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

    /// The end of the records that the frame has now.
    package struct FrameMark {
        fileprivate let count: Int
        fileprivate let end: Int
    }

    /// A mark to which `discard(after:)` returns, until the next commit.
    package var frameMark: FrameMark { FrameMark(count: frame.count, end: frame.bytes.count) }

    /// Discards the records that were appended to this frame since `mark` was taken.
    package func discard(after mark: FrameMark) {
        frame.removeRecords(after: mark.count, endingAt: mark.end)
        pending = UInt64(mark.count)
    }

    /// Writes the frame and syncs it: when this returns, every appended record is durable. Does
    /// nothing without records.
    ///
    /// Throws `noSpace` or `needsSegment` if the frame needs a new segment that cannot be created
    /// now: nothing was written, the records are discarded, `nextSequence` is reset, and a later
    /// commit tries again. Throws `fatal` if writing or syncing failed: the process must end.
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

    /// Discards the records of the frame that is being built.
    package func discard() {
        frame.reset()
        pending = 0
    }

    /// Writes an idle marker, which shows readers that everything before it is durable. Call it
    /// after a second without records. Does nothing if the journal already ends with a marker, or
    /// while records wait for `commit`.
    package func markIdle() throws(JournalError) {
        if let stopped { throw stopped }
        guard !isIdle, pending == 0 else { return }
        defer { frame.reset() }
        try write()
        isIdle = true
    }

    /// Marks the journal idle if it can, waits for the preparing thread and releases the lock.
    /// Uncommitted records are discarded.
    package func close() {
        guard place != nil else { return }
        discard()
        // Without the marker a reader waits for one longer; nothing is lost.
        try? markIdle()
        preparer.end()
        // Frees the space. If this fails, the next opening removes the file.
        try? storage.unlink(directory + "/" + Format.preparedName)
        if stopped == nil { stopped = .closed }
        place?.unlock(segment)
        place = nil
    }

    /// The error of the last attempt to prepare the next segment, while there may still be room in
    /// this one: the store warns of it. Nil if there was none.
    package var preparationFailure: Errno? { preparer.failure }

    /// The point that a snapshot taken now covers; nil before the first record. Read it between
    /// commits.
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
        // Writes and syncs succeed even if the file was moved or removed.
        try stopping { () throws(JournalError) in try place?.check(segment) }
        chainHead = frame.bytes.withUnsafeBytes { ChainValue(hashing: $0) }
    }

    /// Checks that the journal is still where it was opened. `commit` does that itself; call this
    /// when nothing is written. Throws `displaced` or `fatal`.
    package func checkPlace() throws(JournalError) {
        if let stopped { throw stopped }
        try stopping { () throws(JournalError) in try place?.check(segment) }
    }

    /// Continues with the next segment, in the locked directory.
    private func rotate() throws(JournalError) {
        try stopping { () throws(JournalError) in try place?.check() }
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

    /// Stops the writer for good if `check` throws.
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

extension JournalWriter {
    /// Opens the journal in `directory`, or creates one in an empty directory: locks it, syncs its
    /// content before trusting it, checks it, and replays it.
    ///
    /// First `restore` is called with the good snapshots, newest first, until it accepts one by
    /// returning true (it must then have discarded the content of those before). Then `replay` is
    /// called with every later record in order; the bytes are valid only during the call. The
    /// replayed records may be trusted only after `open` has returned.
    ///
    /// Throws `locked`, `displaced`, `damaged`, `unusable`, `options`, `refused` (if `restore` or
    /// `replay` throws), and `noSpace`, `needsSegment` or `fatal` if the first segment cannot be
    /// created.
    package static func open(
        directory: String, storage: any Storage = PosixStorage(), options: JournalOptions = .init(),
        restore: (Snapshot) throws -> Bool = { _ in false },
        replay: (_ sequence: UInt64, _ record: UnsafeRawBufferPointer) throws -> Void
    ) throws(JournalError) -> JournalWriter {
        if let mistake = options.mistake { throw .options(mistake) }
        if options.createsDirectory { try JournalDirectory.make(directory, storage) }
        let place = try JournalPlace(locking: directory, storage)
        let storage = place.storage
        let list = try SegmentList.read(directory, storage: storage)
        try clear(list, directory, storage)
        var note = list.note ?? begun(options, storage)
        let isRenewed = options.renewsIdentity && list.note != nil
        if isRenewed {
            note.former.append(note.store)
            note.store = StoreIdentity(randomFrom: storage)
        }
        var recovery = Recovery(directory: directory, storage: storage, options: options)
        let outcome =
            list.segments.isEmpty
            ? try beginJournal(list, directory, storage, options, note.store)
            : try recovery.run(list, restore: restore, replay)
        let clock = RetentionClock(
            noted: note.clock, created: list.segments.last?.header.created, storage: storage)
        note.clock = note.clock ?? clock.now(storage)
        if !list.hasIdentityFile || isRenewed {
            try keep(note, directory, storage, isNeeded: isRenewed)
        }
        return JournalWriter(
            place: place, options: options, identity: note.store, clock: clock, outcome: outcome,
            preparer: SegmentPreparer(directory: directory, storage: storage, options: options))
    }

    /// The note of a new journal.
    private static func begun(_ options: JournalOptions, _ storage: any Storage) -> JournalNote {
        var note = JournalNote(
            store: options.identity ?? StoreIdentity(randomFrom: storage))
        note.first = options.assumedThrough + 1
        return note
    }

    /// Writes `identity`. Without room for it the journal still opens, unless it `isNeeded`,
    /// because the segments have the same content.
    private static func keep(
        _ note: JournalNote, _ directory: String, _ storage: any Storage, isNeeded: Bool
    ) throws(JournalError) {
        do { try note.write(Format.identityName, in: directory, storage: storage) } catch {
            guard isNeeded || !error.isLackOfSpace else { return }
            throw .unusable(
                operation: "write", path: directory + "/" + Format.identityName, error)
        }
    }

    /// Removes incomplete files that a crash left, and makes the listed names durable.
    private static func clear(
        _ list: SegmentList, _ directory: String, _ storage: any Storage
    ) throws(JournalError) {
        for name in list.temporaries {
            let path = directory + "/" + name
            try JournalError.naming("unlink", path) { () throws(Errno) in
                try storage.unlink(path)
            }
        }
        try JournalError.naming("fsync", directory) { () throws(Errno) in
            try storage.fsyncDirectory(directory)
        }
    }

    /// Creates the first segment of a new journal. Throws `damaged` if anything in the directory
    /// shows that there were segments.
    private static func beginJournal(
        _ list: SegmentList, _ directory: String, _ storage: any Storage, _ options: JournalOptions,
        _ store: StoreIdentity
    ) throws(JournalError) -> Recovery.Outcome {
        guard !list.remembersSegments else { throw .damaged(SegmentList.segmentsMissing) }
        var options = options
        options.segmentBytes = options.firstSegmentBytes
        let path = directory + "/" + Format.preparedName
        let file: any StorageFile
        do throws(Errno) {
            file = try SegmentPreparation.prepare(path, storage: storage, options)
        } catch {
            throw .lacking(error)
        }
        let start = SegmentStart(
            directory: directory, storage: storage, options: options, store: store)
        let first = options.assumedThrough + 1
        let begun = try start.begin(file, number: 1, firstSequence: first, chain: .zero)
        var report = RecoveryReport()
        report.segments = 1
        return Recovery.Outcome(
            segment: begun.segment, chain: begun.chain, nextSequence: first, recordChain: nil,
            isIdle: true, report: report)
    }
}
