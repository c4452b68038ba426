import SystemPackage

/// Makes the next segment's file: full size, zeros on the disk, synced, under a temporary name. It
/// gets its header and its name when it is needed, so a file named `.segment` has always had a
/// whole, durable header.
///
/// The zeros are written, not only allocated: then a write into the segment changes no metadata and
/// fdatasync has nothing to do but the data itself.
enum SegmentPreparation {
    /// What is written at once, and synced by itself while others commit.
    private static let pieceBytes = 512 << 10

    /// Returns the open file, or removes what was begun and throws.
    ///
    /// - Parameter pace: Given where somebody commits meanwhile: each piece is synced by itself,
    ///   with a rest after it, because a disk that gets the whole file at once lets a commit wait
    ///   behind it for tens of milliseconds.
    static func prepare(
        _ path: String, storage: any Storage, _ options: JournalOptions,
        pace: WritingPace? = nil
    ) throws(Errno) -> any StorageFile {
        let file = try storage.open(path, for: .creating)
        do throws(Errno) {
            // Fails at once when there is no room, instead of after filling what there is.
            try file.allocate(options.segmentBytes)
            // Nobody reads them: in the page cache they would cost a copy and the place of others.
            file.bypassCache(true)
            try fill(file, bytes: options.segmentBytes, storage: storage, pace: pace)
            file.bypassCache(false)
            try file.fsync()
            return file
        } catch {
            // Its own failure changes nothing: the next attempt empties the file, the next open
            // removes it.
            try? storage.unlink(path)
            throw error
        }
    }

    private static func fill(
        _ file: any StorageFile, bytes: Int, storage: any Storage, pace: WritingPace?
    ) throws(Errno) {
        let zeros = UnsafeMutableRawBufferPointer.allocate(
            byteCount: pieceBytes, alignment: BlockWriter.blockBytes)
        defer { zeros.deallocate() }
        zeros.initializeMemory(as: UInt8.self, repeating: 0)
        var offset = 0
        while offset < bytes {
            let start = storage.monotonicMicroseconds()
            let piece = UnsafeRawBufferPointer(rebasing: zeros[..<min(pieceBytes, bytes - offset)])
            try file.writeAll(piece, at: offset)
            offset += piece.count
            if let pace, !pace.isUrgent {
                try file.syncContent()
                pace.rest(afterMicroseconds: storage.monotonicMicroseconds() - start)
            }
        }
    }
}
