import SystemPackage

/// Creates the next segment's file: full size, zeros on the disk, synced, under a temporary name.
/// It gets its header and its name when it is needed, so a file named `.segment` always has a
/// whole, durable header.
///
/// The zeros are written, not only allocated: then a write into the segment changes no metadata,
/// and fdatasync writes only the data itself.
enum SegmentPreparation {
    /// Number of bytes of one write, which is synced by itself while others commit.
    private static let pieceBytes = 512 << 10

    /// Returns the open file, or removes it and throws.
    ///
    /// - Parameter pace: Set if a writer commits meanwhile: each piece is synced by itself and
    ///   followed by a pause, because a disk that gets the whole file at once delays a commit by
    ///   tens of milliseconds.
    static func prepare(
        _ path: String, storage: any Storage, _ options: JournalOptions,
        pace: WritingPace? = nil
    ) throws(Errno) -> any StorageFile {
        let file = try storage.open(path, for: .creating)
        do throws(Errno) {
            // Fails at once if there is no room, instead of after filling the disk.
            try file.allocate(options.segmentBytes)
            // The zeros are never read: in the page cache they would cost a copy and displace other
            // pages.
            file.bypassCache(true)
            try fill(file, bytes: options.segmentBytes, storage: storage, pace: pace)
            file.bypassCache(false)
            try file.fsync()
            return file
        } catch {
            // A failure of this call does not matter: the next attempt truncates the file, the next
            // opening removes it.
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
