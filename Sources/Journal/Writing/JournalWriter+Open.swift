import SystemPackage

extension JournalWriter {
    /// Opens the journal in `directory`, or begins one in an empty directory: locks it, syncs what
    /// is there before trusting it, checks it, and hands it out.
    ///
    /// First `restore` is called with the good snapshots, newest first, until it takes one by
    /// returning true (it must then have forgotten what it read from those before). Then `replay`
    /// is called with every later record in order; the bytes are valid during the call only. What
    /// `replay` saw may be trusted when `open` has returned, not before.
    ///
    /// Throws `locked`, `displaced`, `damaged`, `unusable`, `options`, `refused` (when `restore` or
    /// `replay` throws), and for a first segment that cannot be made `noSpace`, `needsSegment` or
    /// `fatal`.
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

    /// What a journal is that is begun now.
    private static func begun(_ options: JournalOptions, _ storage: any Storage) -> JournalNote {
        var note = JournalNote(
            store: options.identity ?? StoreIdentity(randomFrom: storage))
        note.first = options.assumedThrough + 1
        return note
    }

    /// Writes `identity`. Without room for it the journal opens all the same, unless it `isNeeded`:
    /// the segments say the same.
    private static func keep(
        _ note: JournalNote, _ directory: String, _ storage: any Storage, isNeeded: Bool
    ) throws(JournalError) {
        do { try note.write(Format.identityName, in: directory, storage: storage) } catch {
            guard isNeeded || !error.isLackOfSpace else { return }
            throw .unusable(
                operation: "write", path: directory + "/" + Format.identityName, error)
        }
    }

    /// Removes what a crash left half made, and makes sure that the names that are seen are durable
    /// ones.
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

    /// The first segment of a new journal. A directory that remembers a journal is not a new one.
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
