import SystemPackage

/// Copies one segment into another directory: the bytes before its end, then zeros. The copy is
/// synced, read back and verified.
struct SegmentCopy {
    /// The end of a walk through the source.
    struct End {
        let offset: Int
        let chain: ChainValue
        let nextSequence: UInt64

        init(_ walk: SegmentWalk) {
            offset = walk.offset
            chain = walk.chain
            nextSequence = walk.nextSequence
        }
    }

    private static let pieceBytes = 1 << 20

    let storage: any Storage
    let window: SegmentWindow

    /// Walks to the last good frame. Also returns the end before that frame, which may not be
    /// durable yet, unless it is an idle marker.
    func end(
        of entry: SegmentEntry
    ) throws(JournalError) -> (whole: End, durable: End, isIdle: Bool) {
        try JournalError.naming("read", entry.path) { () throws(Errno) in
            window.turn(to: try storage.open(entry.path, for: .reading))
            let block = try window.bytes(at: 0, needed: Format.segmentHeaderBytes)
            var walk = SegmentWalk(header: entry.header, block: block)
            var before = walk
            while true {
                let here = walk
                guard case .frame = try walk.step(window) else { break }
                before = here
            }
            let isIdle = walk.last?.header.isIdleMarker ?? true
            return (End(walk), isIdle ? End(walk) : End(before), isIdle)
        }
    }

    /// Copies `entry` up to `end` into the temporary file `path`, which the caller renames.
    func copy(_ entry: SegmentEntry, to end: End, at path: String) throws(JournalError) {
        do throws(Errno) {
            let source = try storage.open(entry.path, for: .reading)
            let file = try storage.open(path, for: .creating)
            try file.allocate(entry.header.segmentBytes)
            var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
            var offset = 0
            while offset < end.offset {
                let count = min(try source.readAll(&piece, at: offset), end.offset - offset)
                // The source was longer when it was walked.
                if count == 0 { throw .ioError }
                try file.writeAll(Array(piece[..<count]), at: offset)
                offset += count
            }
            try file.fsync()
        } catch {
            try? storage.unlink(path)
            throw .unusable(operation: "copy \(entry.name) to", path: path, error)
        }
        try verify(path, entry, end)
    }

    private func verify(
        _ path: String, _ entry: SegmentEntry, _ end: End
    ) throws(JournalError) {
        let copy = SegmentEntry(name: entry.name, path: path, header: entry.header)
        let found = try self.end(of: copy).whole
        guard found.offset == end.offset, found.chain == end.chain else {
            try? storage.unlink(path)
            throw .copyRefused(
                "\(path) does not read back as it was written: the disk is faulty")
        }
    }

    /// Whether the first `count` bytes of both files are the same.
    func isSame(
        _ path: String, _ other: String, count: Int
    ) throws(JournalError) -> Bool {
        try JournalError.naming("compare", other) { () throws(Errno) in
            let files = (
                try storage.open(path, for: .reading), try storage.open(other, for: .reading)
            )
            var pieces = (
                [UInt8](repeating: 0, count: Self.pieceBytes),
                [UInt8](repeating: 0, count: Self.pieceBytes)
            )
            var offset = 0
            while offset < count {
                let length = min(Self.pieceBytes, count - offset)
                let read = (
                    try files.0.readAll(&pieces.0, at: offset),
                    try files.1.readAll(&pieces.1, at: offset)
                )
                guard read.0 >= length, read.1 >= length,
                    pieces.0[..<length] == pieces.1[..<length]
                else { return false }
                offset += length
            }
            return true
        }
    }
}
