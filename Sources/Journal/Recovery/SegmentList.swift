import SystemPackage

/// The content of a journal's directory, by name.
struct SegmentList {
    /// In order of their first sequences.
    var segments: [SegmentEntry] = []
    /// The last sequences of the snapshots, newest first.
    var snapshots: [UInt64] = []
    /// The first sequences of the segments in `archive/`, in order; their headers were not read.
    var archived: [UInt64] = []
    /// Incomplete files that a crash left.
    var temporaries: [String] = []
    /// The journal's identity file, or a note made from the segments. Nil if there is neither.
    var note: JournalNote?
    /// Whether the file `identity` exists.
    var hasIdentityFile = false

    /// Reads the directory, and the header of every segment. Checks each header by itself and
    /// against the previous one (rows D and S of the decision table). Ignores names that are not
    /// the journal's.
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

    /// Finds the journal's identity, and checks that every segment belongs to it (rows D6, D7 and
    /// S9).
    private mutating func identify(
        _ directory: String, _ storage: any Storage
    ) throws(JournalError) {
        note = try JournalNote.readIdentity(of: directory, storage)
        hasIdentityFile = note != nil
        if note == nil, let entry = segments.first {
            let first = archive(before: entry, directory, storage).first ?? entry
            var found = JournalNote(store: entry.header.store)
            found.first = first.header.firstSequence
            note = found
        }
        for entry in segments { try note?.check(entry) }
    }

    /// Whether anything shows that there were segments.
    var remembersSegments: Bool { hasIdentityFile || !snapshots.isEmpty || !archived.isEmpty }

    /// The damage if there are none.
    static let segmentsMissing = Damage(
        reason: .segmentsMissing, file: Format.segmentName(firstSequence: 1), offset: 0,
        detail: "there are traces of a journal (identity, snapshots or archived segments), but no "
            + "segment")

    /// Returns the archived segments that lead up to `first` without a gap, as far back as they are
    /// good.
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

    /// Returns the archived segments; none if there is no archive.
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
