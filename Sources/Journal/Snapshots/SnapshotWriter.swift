import SystemPackage

/// Writes one snapshot, on any one thread, beside a running writer: it touches no segment.
package final class SnapshotWriter {
    /// Maximum size of a piece for `append`, which a reader gets back whole.
    package static let chunkBytesMax = 1 << 20
    private static let bufferBytes = 1 << 20

    private let directory: String
    private let storage: any Storage
    private let point: SnapshotPoint
    private let temporary: String
    private let file: any StorageFile
    private var buffer: [UInt8]
    private var offset = 0
    private var chunks: UInt64 = 0
    private var checksum: UInt32
    private var isFinished = false
    private let pace: WritingPace?

    /// Begins a snapshot of the journal `store` that covers everything up to `point`, which must be
    /// durable (`JournalWriter.snapshotPoint`). Throws `unusable`.
    ///
    /// - Parameter pace: Limits the writing speed if a writer commits meanwhile.
    package init(
        directory: String, storage: any Storage = PosixStorage(), point: SnapshotPoint,
        store: StoreIdentity, pace: WritingPace? = nil
    ) throws(JournalError) {
        self.pace = pace
        self.directory = directory
        self.storage = storage
        self.point = point
        let path =
            directory + "/" + Format.snapshotName(lastSequence: point.sequence)
            + Format.temporarySuffix
        temporary = path
        file = try JournalError.naming("create", path) { () throws(Errno) in
            try storage.open(path, for: .creating)
        }
        buffer = SnapshotHeader(
            point: point, created: storage.wallMicroseconds(), store: store
        ).encoded()
        checksum = buffer.withUnsafeBytes { SnapshotHeader.checksum($0) }
    }

    deinit {
        // The snapshot was not finished. If this fails, the next opening of the journal removes the
        // file.
        if !isFinished { try? storage.unlink(temporary) }
    }

    /// Appends to `section` (any number but `UInt32.max`) a piece of at most `chunkBytesMax` bytes.
    /// Pieces come back whole and in this order. Throws `unusable`.
    package func append(section: UInt32, _ bytes: [UInt8]) throws(JournalError) {
        precondition(bytes.count <= Self.chunkBytesMax && section != SnapshotChunk.endSection)
        try append(chunk: section, bytes)
    }

    /// Ends the snapshot, makes it durable under its name, and removes all but the `keeping` newest
    /// ones. Throws `unusable`; the snapshot may then exist or not, and the older ones are
    /// unchanged.
    package func finish(keeping: Int = 2) throws(JournalError) {
        var end = [UInt8](repeating: 0, count: 8)
        let total = chunks
        end.withUnsafeMutableBytes { $0.store(littleEndian: total, at: 0) }
        try append(chunk: SnapshotChunk.endSection, end)
        try flush()
        let path = directory + "/" + Format.snapshotName(lastSequence: point.sequence)
        try JournalError.naming("fsync", temporary) { () throws(Errno) in try file.fsync() }
        try JournalError.naming("rename", path) { () throws(Errno) in
            try storage.rename(temporary, to: path)
        }
        isFinished = true
        try JournalError.naming("fsync", directory) { () throws(Errno) in
            try storage.fsyncDirectory(directory)
        }
        try SnapshotFile.prune(directory, storage: storage, keeping: keeping)
    }

    private func append(chunk section: UInt32, _ bytes: [UInt8]) throws(JournalError) {
        checksum = bytes.withUnsafeBytes {
            SnapshotChunk.append(section: section, $0, after: checksum, to: &buffer)
        }
        chunks += 1
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    private func flush() throws(JournalError) {
        try JournalError.naming("write", temporary) { () throws(Errno) in
            let start = storage.monotonicMicroseconds()
            try file.writeAll(buffer, at: offset)
            if let pace, !pace.isUrgent {
                try file.syncContent()
                pace.rest(afterMicroseconds: storage.monotonicMicroseconds() - start)
            }
        }
        offset += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}
