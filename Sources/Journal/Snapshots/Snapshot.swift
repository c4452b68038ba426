import SystemPackage

/// A snapshot whose every byte was checked. Its content is read again on request.
package struct Snapshot: Sendable {
    /// The file's name.
    package let name: String
    /// The covered part of the journal.
    package let point: SnapshotPoint
    /// Microseconds since 1970, by the clock of the machine that wrote it.
    package let created: Int64
    /// The journal that it belongs to.
    let store: StoreIdentity
    private let file: any StorageFile

    /// Opens and checks the snapshot that covers up to `sequence`. Returns the damage if it is
    /// damaged; throws `unusable` if it cannot be read.
    static func check(
        _ sequence: UInt64, directory: String, storage: any Storage
    ) throws(JournalError) -> Result<Snapshot, SnapshotDamage> {
        let name = Format.snapshotName(lastSequence: sequence)
        let path = directory + "/" + name
        return try JournalError.naming("read", path) { () throws(Errno) in
            let file = try storage.open(path, for: .reading)
            let window = SegmentWindow(bytes: SnapshotWriter.chunkBytesMax)
            window.turn(to: file)
            let block = try window.bytes(at: 0, needed: Format.segmentHeaderBytes)
            guard let header = SnapshotHeader.decode(block), header.point.sequence == sequence
            else {
                return .failure(SnapshotDamage(file: name, offset: 0))
            }
            let snapshot = Snapshot(
                name: name, point: header.point, created: header.created, store: header.store,
                file: file)
            if let offset = try snapshot.walk(window, { _, _ in }) {
                return .failure(SnapshotDamage(file: name, offset: offset))
            }
            return .success(snapshot)
        }
    }

    /// Copies the snapshot's bytes into another file.
    func copy(to target: any StorageFile) throws(Errno) {
        let size = try file.bytes()
        var piece = [UInt8](repeating: 0, count: SnapshotWriter.chunkBytesMax)
        var offset = 0
        while offset < size {
            let count = try file.readAll(&piece, at: offset)
            if count == 0 { throw .ioError }
            try target.writeAll(Array(piece[..<count]), at: offset)
            offset += count
        }
    }

    /// Calls `visit` with every piece in the order of appending. The bytes are valid only during
    /// the call. Throws the errors of `visit`, and `JournalError.unusable` if reading fails.
    package func forEachChunk(
        _ visit: (_ section: UInt32, _ bytes: UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let window = SegmentWindow(bytes: SnapshotWriter.chunkBytesMax)
        window.turn(to: file)
        var failure: (any Error)?
        let damage = try JournalError.naming("read", name) { () throws(Errno) in
            try walk(window) { section, bytes in
                guard failure == nil else { return }
                do { try visit(section, bytes) } catch { failure = error }
            }
        }
        if let failure { throw failure }
        // It was whole when it was opened, so the file has changed since.
        if damage != nil { throw JournalError.unusable(operation: "read", path: name, .ioError) }
    }

    /// Walks over all chunks. Returns the offset of the first bad one, or nil.
    private func walk(
        _ window: SegmentWindow, _ visit: (UInt32, UnsafeRawBufferPointer) -> Void
    ) throws(Errno) -> Int? {
        var offset = Format.segmentHeaderBytes
        var count: UInt64 = 0
        var seed = SnapshotHeader.checksum(
            try window.bytes(at: 0, needed: Format.segmentHeaderBytes))
        while true {
            let head = try window.bytes(at: offset, needed: SnapshotChunk.headerBytes)
            guard let chunk = SnapshotChunk.decode(head),
                chunk.bytes <= SnapshotWriter.chunkBytesMax
            else { return offset }
            let length = SnapshotChunk.headerBytes + chunk.bytes
            let all = try window.bytes(at: offset, needed: length)
            guard all.count >= length else { return offset }
            let bytes = UnsafeRawBufferPointer(rebasing: all[..<length])
            guard SnapshotChunk.checksum(bytes, after: seed) == chunk.checksum else {
                return offset
            }
            let content = UnsafeRawBufferPointer(rebasing: bytes[SnapshotChunk.headerBytes...])
            offset += length
            if chunk.section == SnapshotChunk.endSection {
                return isEnd(content, count, try file.bytes(), offset) ? nil : offset
            }
            visit(chunk.section, content)
            seed = chunk.checksum
            count += 1
        }
    }

    private func isEnd(
        _ content: UnsafeRawBufferPointer, _ count: UInt64, _ size: Int, _ offset: Int
    ) -> Bool {
        content.count == 8 && content.littleEndian(UInt64.self, at: 0) == count && size == offset
    }
}
