import Platform
import SystemPackage

/// Copies a journal into another directory, beside a server that writes it. The copy is itself a
/// journal with the same identity: `ipnd journal verify` and `cat` read it.
///
/// Sealed segments never change, so each is copied once. The open segment is copied again, up to
/// its last surely durable record. Segments that retention takes from the journal stay in the
/// backup.
package struct JournalBackup {
    /// The result of a run.
    package struct Report: Sendable, Equatable {
        package var store: StoreIdentity
        package var segmentsCopied = 0
        package var segmentsKept = 0
        /// The last record in the backup; 0 when there is none.
        package var lastSequence: UInt64 = 0
        package var keys = Keys.notNeeded
    }

    /// Whether the backup has the keys of its records.
    package enum Keys: Sendable, Equatable {
        /// No record is sealed.
        case notNeeded
        case copied
        /// Records are sealed, and the file `keys` was not copied.
        case missing
    }

    /// Number of looks at a writer's last frame before it is taken for the end. A writer marks the
    /// journal idle after a quiet second, so without a marker by then no process writes.
    private static let looksMax = 30
    private static let lookNanoseconds: UInt64 = 100_000_000

    private let source: String
    private let destination: String
    private let copiesKeys: Bool
    private let storage: any Storage
    private let segments: SegmentCopy

    /// - Parameter copiesKeys: Whether the file `keys` is copied, too. Without it, what is erased
    ///   later is erased in the backup as well.
    package init(
        of source: String, to destination: String, copiesKeys: Bool = true,
        storage: any Storage = PosixStorage(), options: JournalOptions = .init()
    ) {
        self.source = source
        self.destination = destination
        self.copiesKeys = copiesKeys
        self.storage = storage
        segments = SegmentCopy(
            storage: storage, window: SegmentWindow(bytes: options.windowBytes))
    }

    /// Brings the backup up to date. Throws `absent` if there is no journal; `copyRefused` if the
    /// backup is newer, belongs to another journal or diverged from it; `locked` while another
    /// backup runs; `damaged` and `unusable`. Segments copied before the error stay.
    package func run() throws(JournalError) -> Report {
        guard let note = try JournalNote.find(source, storage: storage) else {
            throw .absent(directory: source)
        }
        try JournalDirectory.make(destination, storage)
        let lock = try JournalDirectory.lock(destination, storage)
        defer { lock.unlock() }
        try checkDestination(note)
        // Read before the segments, so that they reach at least as far as the snapshot.
        let snapshot = try SnapshotFile.newestGood(directory: source, storage: storage)
        var report = Report(store: note.store)
        try copySegments(&report)
        try keep(note)
        // After the segments, so that it has what was erased meanwhile.
        if copiesKeys, let keys = try KeysFile.read(in: source, storage: storage) {
            try KeysFile.write(keys, in: destination, storage: storage)
            report.keys = .copied
        } else if note.sealedFrom != nil {
            report.keys = .missing
        }
        if let snapshot, snapshot.point.sequence <= report.lastSequence {
            try SnapshotFile.copy(snapshot, from: source, to: destination, storage: storage)
        }
        return report
    }

    /// Throws `copyRefused` unless the destination is a backup of this journal or an empty
    /// directory.
    private func checkDestination(_ note: JournalNote) throws(JournalError) {
        if let found = try JournalNote.find(destination, storage: storage) {
            guard note.knows(found.store) else {
                throw .copyRefused(
                    "\(destination) is a backup of the store \(found.store), "
                        + "\(source) is the store \(note.store)")
            }
            return
        }
        guard try JournalDirectory.isEmpty(destination, storage) else {
            throw .copyRefused("\(destination) is not empty and holds no backup")
        }
    }

    private func copySegments(_ report: inout Report) throws(JournalError) {
        var catalog = try SegmentCatalog(source, storage: storage)
        let there = try SegmentCatalog(destination, storage: storage)
        let last = try lastSegment(of: there)
        try checkOverlap(catalog, last)
        var next = catalog.numbers.first
        // The catalog changes during the loop: a server may add segments.
        while let number = next {
            guard let entry = try catalog.open(number) else {
                throw .copyRefused(
                    "\(source): the segment that begins with \(number) was removed meanwhile; "
                        + "start again")
            }
            let copied = number != last?.entry.header.firstSequence ? try there.open(number) : nil
            if let copied {
                guard copied.header == entry.header else { throw otherHistory(entry) }
                report.segmentsKept += 1
            } else {
                let end = try self.end(of: entry, &catalog)
                if try copy(entry, end, over: last) {
                    report.segmentsCopied += 1
                } else {
                    report.segmentsKept += 1
                }
                report.lastSequence = end.nextSequence - 1
            }
            next = catalog.numbers.first { $0 > number }
        }
    }

    /// The last segment of the backup, which may have grown in the source since.
    private func lastSegment(
        of there: SegmentCatalog
    ) throws(JournalError) -> (entry: SegmentEntry, end: SegmentCopy.End)? {
        guard let number = there.numbers.last, let entry = try there.open(number) else {
            return nil
        }
        return (entry, try segments.end(of: entry).whole)
    }

    /// Throws `copyRefused` unless the backup ends within the journal.
    private func checkOverlap(
        _ catalog: SegmentCatalog, _ last: (entry: SegmentEntry, end: SegmentCopy.End)?
    ) throws(JournalError) {
        guard let last else { return }
        let number = last.entry.header.firstSequence
        guard !catalog.numbers.contains(number) else { return }
        if let first = catalog.numbers.first, first > number {
            throw .copyRefused(
                "\(destination) ends with sequence \(last.end.nextSequence - 1), and retention has "
                    + "taken what follows from \(source), which begins with \(first): begin a new "
                    + "backup in another directory")
        }
        throw newer(last.end)
    }

    /// Returns where the copy of a segment ends: after its last frame if another segment follows,
    /// else after its last surely durable frame.
    private func end(
        of entry: SegmentEntry, _ catalog: inout SegmentCatalog
    ) throws(JournalError) -> SegmentCopy.End {
        var before: SegmentCopy.End?
        for _ in 0..<Self.looksMax {
            try catalog.refresh()
            let isLast = catalog.numbers.last == entry.header.firstSequence
            let (whole, durable, isIdle) = try segments.end(of: entry)
            if !isLast || isIdle { return whole }
            // A frame begins only after the previous one was synced.
            if let before, whole.offset > before.offset { return durable }
            before = whole
            let clock = storage.clock
            clock.block(until: clock.now.advanced(nanoseconds: Self.lookNanoseconds))
        }
        return try segments.end(of: entry).whole
    }

    /// Copies one segment. Returns false if the backup already has it up to the same end.
    private func copy(
        _ entry: SegmentEntry, _ end: SegmentCopy.End,
        over last: (entry: SegmentEntry, end: SegmentCopy.End)?
    ) throws(JournalError) -> Bool {
        let name = Format.segmentName(firstSequence: entry.header.firstSequence)
        if let last, last.entry.header.firstSequence == entry.header.firstSequence {
            guard last.end.offset <= end.offset else { throw newer(last.end) }
            guard try segments.isSame(last.entry.path, entry.path, count: last.end.offset) else {
                throw otherHistory(entry)
            }
            if last.end.offset == end.offset { return false }
        }
        let path = destination + "/" + name
        let temporary = path + Format.temporarySuffix
        try segments.copy(entry, to: end, at: temporary)
        try JournalError.naming("rename", path) { () throws(Errno) in
            try storage.rename(temporary, to: path)
            try storage.fsyncDirectory(destination)
        }
        return true
    }

    /// Writes the backup's own note, whose `first` covers the segments that retention took from the
    /// journal.
    private func keep(_ note: JournalNote) throws(JournalError) {
        var kept = note
        kept.first = try SegmentCatalog(destination, storage: storage).numbers.first ?? 1
        try JournalError.naming("write", destination + "/" + Format.identityName) {
            () throws(Errno) in
            try kept.write(Format.identityName, in: destination, storage: storage)
        }
    }

    private func newer(_ end: SegmentCopy.End) -> JournalError {
        .copyRefused(
            "\(destination) holds records up to \(end.nextSequence - 1), more than \(source): "
                + "it is newer, and is not replaced")
    }

    private func otherHistory(_ entry: SegmentEntry) -> JournalError {
        .copyRefused(
            "\(destination) holds other records than \(source) in \(entry.name): they have "
                + "diverged")
    }
}
