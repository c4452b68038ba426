import SystemPackage

/// What a journal's directory holds, by name.
struct SegmentList {
    /// In order of their first sequences.
    var segments: [SegmentEntry] = []
    /// The last sequences of the snapshots, newest first.
    var snapshots: [UInt64] = []
    /// The first sequences of the segments in `archive/`, in order; their headers were not read.
    var archived: [UInt64] = []
    /// Files that a crash left half made.
    var temporaries: [String] = []
    /// Which journal it is: as `identity` says, else as the segments do. Nil when nothing does.
    var note: JournalNote?
    /// Whether `identity` is there.
    var hasIdentityFile = false

    /// Reads the directory, and the header of every segment. Checks each by itself and each against
    /// the one before (rows D and S of the decision table). Names that are not the journal's are
    /// let be.
    static func read(
        _ directory: String, storage: any Storage
    ) throws(JournalError) -> SegmentList {
        var list = SegmentList()
        let names = try JournalError.naming("list", directory) { () throws(Errno) in
            try storage.list(directory)
        }
        var numbers: [UInt64] = []
        for name in names {
            if name.hasSuffix(Format.temporarySuffix) {
                list.temporaries.append(name)
            } else if let number = Format.number(in: name, suffix: Format.snapshotSuffix) {
                list.snapshots.append(number)
            } else if let number = Format.number(in: name, suffix: Format.segmentSuffix) {
                numbers.append(number)
            } else if name.hasSuffix(Format.segmentSuffix) {
                throw .damaged(
                    Damage(
                        reason: .segmentName, file: name, offset: 0,
                        detail: "a segment is named by the ten digits of its first sequence"))
            }
        }
        list.temporaries.sort()
        list.snapshots.sort(by: >)
        list.archived = try archive(directory, storage)
        for number in numbers.sorted() {
            let entry = try SegmentEntry.read(
                Format.segmentName(firstSequence: number), number: number, directory: directory,
                storage: storage)
            if let before = list.segments.last {
                try SegmentLink.check(entry, after: before.header)
            }
            list.segments.append(entry)
        }
        try list.identify(directory, storage)
        return list
    }

    /// Finds out which journal it is, and checks that every segment belongs to it (rows I).
    private mutating func identify(
        _ directory: String, _ storage: any Storage
    ) throws(JournalError) {
        note = try JournalNote.readIdentity(of: directory, storage)
        hasIdentityFile = note != nil
        if note == nil, let entry = segments.first {
            let first = archive(before: entry, directory, storage).first ?? entry
            let carried = segments.lazy.map(\.header.store).first { $0 != .none }
            var found = JournalNote(store: carried ?? StoreIdentity(first: first.header))
            found.first = first.header.firstSequence
            note = found
        }
        for entry in segments { try note?.check(entry) }
    }

    /// Whether there were segments once.
    var remembersSegments: Bool { hasIdentityFile || !snapshots.isEmpty || !archived.isEmpty }

    /// The damage when they are gone.
    static let segmentsMissing = Damage(
        reason: .segmentsMissing, file: Format.segmentName(firstSequence: 1), offset: 0,
        detail: "there are traces of a journal (identity, snapshots or archived segments), but no "
            + "segment")

    /// The archived segments that lead up to `first` without a gap, as far back as they are sound.
    func archive(
        before first: SegmentEntry, _ directory: String, _ storage: any Storage
    ) -> [SegmentEntry] {
        var found: [SegmentEntry] = []
        var next = first
        for number in archived.reversed() where number < next.header.firstSequence {
            let name = Format.archiveName + "/" + Format.segmentName(firstSequence: number)
            let entry = try? SegmentEntry.read(
                name, number: number, directory: directory, storage: storage)
            guard let entry, entry.header.number + 1 == next.header.number else { break }
            found.append(entry)
            next = entry
        }
        return found.reversed()
    }

    /// A journal need not have an archive.
    private static func archive(
        _ directory: String, _ storage: any Storage
    ) throws(JournalError) -> [UInt64] {
        let path = directory + "/" + Format.archiveName
        let names: [String]
        do { names = try storage.list(path) } catch {
            if error == .noSuchFileOrDirectory { return [] }
            throw .unusable(operation: "list", path: path, error)
        }
        return names.compactMap { Format.number(in: $0, suffix: Format.segmentSuffix) }.sorted()
    }
}
