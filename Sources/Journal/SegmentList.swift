import SystemPackage

/// What a journal's directory holds, by name.
struct SegmentList {
    /// In order of their first sequences.
    var segments: [SegmentEntry] = []
    /// The last sequences of the snapshots, newest first.
    var snapshots: [UInt64] = []
    /// Files that a crash left half made.
    var temporaries: [String] = []

    /// Reads the directory, and the header of every segment. Checks each by itself and each against the one before
    /// (rows D and S of the decision table). Names that are not the journal's are let be.
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
        for number in numbers.sorted() {
            let entry = try SegmentEntry.read(
                Format.segmentName(firstSequence: number), number: number, directory: directory,
                storage: storage)
            if let before = list.segments.last { try check(entry, after: before) }
            list.segments.append(entry)
        }
        return list
    }

    private static func check(
        _ entry: SegmentEntry, after before: SegmentEntry
    ) throws(JournalError) {
        guard entry.header.number == before.header.number + 1 else {
            throw .damaged(
                Damage(
                    reason: .segmentMissing, file: entry.name, offset: 16,
                    detail: "it is segment \(entry.header.number), the one before it in this "
                        + "directory is \(before.header.number)"))
        }
    }
}
