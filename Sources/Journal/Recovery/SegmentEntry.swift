import SystemPackage

/// A segment in a directory, with a good header and the right size and name.
struct SegmentEntry {
    /// The name within the journal's directory.
    let name: String
    let path: String
    let header: SegmentHeader

    /// Reads and checks the header of the file `name` (rows S1 to S4 of the decision table).
    static func read(
        _ name: String, number: UInt64, directory: String, storage: any Storage
    ) throws(JournalError) -> SegmentEntry {
        let path = directory + "/" + name
        let file: any StorageFile
        do { file = try storage.open(path, for: .reading) } catch {
            guard error == .invalidArgument else {
                throw .unusable(operation: "open", path: path, error)
            }
            throw .damaged(
                Damage(
                    reason: .segmentHeader, file: name, offset: 0,
                    detail: "it is not a regular file"))
        }
        let bytes = try JournalError.naming("stat", path) { () throws(Errno) in
            try file.bytes()
        }
        let block = try JournalError.naming("read", path) { () throws(Errno) in
            try readBlock(file)
        }
        let decoded = block.withUnsafeBytes { SegmentHeader.decode($0) }
        let header: SegmentHeader
        switch decoded {
        case .success(let found): header = found
        case .failure(let fault): throw .damaged(damage(name, fault))
        }
        guard header.firstSequence == number else {
            throw .damaged(
                Damage(
                    reason: .segmentRenamed, file: name, offset: 24,
                    detail: "its header says that it begins with \(header.firstSequence)"))
        }
        // Records are numbered from 1. With this limit, later arithmetic on sequences cannot
        // overflow.
        guard (1...Format.sequenceMax).contains(number) else {
            throw .damaged(
                Damage(
                    reason: .segmentHeader, file: name, offset: 24,
                    detail: "its header says that it begins with \(number), which no record has"))
        }
        guard header.segmentBytes == bytes else {
            throw .damaged(
                Damage(
                    reason: .segmentSize, file: name, offset: min(bytes, header.segmentBytes),
                    detail: "it has \(bytes) bytes, its header says \(header.segmentBytes)"))
        }
        return SegmentEntry(name: name, path: path, header: header)
    }

    private static func readBlock(_ file: any StorageFile) throws(Errno) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: Format.segmentHeaderBytes)
        let count = try file.readAll(&block, at: 0)
        return [UInt8](block[..<count])
    }

    private static func damage(_ name: String, _ fault: SegmentHeaderError) -> Damage {
        switch fault {
        case .damaged:
            Damage(
                reason: .segmentHeader, file: name, offset: 0,
                detail: "the segment header's checksum is wrong")
        case .version(let version):
            Damage(
                reason: .segmentVersion, file: name, offset: 8,
                detail: "its format is \(version), this program reads \(Format.version)")
        }
    }
}

/// Whether one segment follows another (rows S5 to S7 of the decision table).
enum SegmentLink {
    /// Checks the number, which needs only the headers.
    static func check(
        _ entry: SegmentEntry, after before: SegmentHeader
    ) throws(JournalError) {
        guard entry.header.number == before.number + 1 else {
            throw damage(
                .segmentMissing, entry, 16,
                "it is segment \(entry.header.number), the one before it in this directory is "
                    + "\(before.number)")
        }
    }

    /// Checks number, sequence and chain, after the previous segment was read to its end.
    static func check(_ entry: SegmentEntry, after before: SegmentWalk) throws(JournalError) {
        try check(entry, after: before.header)
        guard entry.header.firstSequence == before.nextSequence else {
            throw damage(
                .sequence, entry, 24,
                "it begins with \(entry.header.firstSequence), the segment before it ends before "
                    + "\(before.nextSequence)")
        }
        guard entry.header.chain == before.chain else {
            throw damage(.chain, entry, 48, "it does not follow the segment before it")
        }
    }

    private static func damage(
        _ reason: Damage.Reason, _ entry: SegmentEntry, _ offset: Int, _ detail: String
    ) -> JournalError {
        .damaged(Damage(reason: reason, file: entry.name, offset: offset, detail: detail))
    }
}
