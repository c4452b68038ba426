import SystemPackage

/// Makes the next segment's file: full size, zeros on the disk, synced, under a temporary name. It
/// gets its header and its name when it is needed, so a file named `.segment` has always had a
/// whole, durable header.
///
/// The zeros are written, not only allocated: then a write into the segment changes no metadata and
/// fdatasync has nothing to do but the data itself.
enum SegmentPreparation {
    /// Few enough to stay in the processor's cache while they are copied a thousand times.
    private static let zeros = [UInt8](repeating: 0, count: 64 << 10)
    /// What is synced by itself while others commit.
    private static let pieceBytes = 512 << 10

    /// Returns the open file, or removes what was begun and throws.
    ///
    /// - Parameter pace: Given where somebody commits meanwhile: each piece is synced by itself,
    ///   with a rest after it, because a disk that gets the whole file at once lets a commit wait
    ///   behind it for tens of milliseconds.
    static func prepare(
        _ path: String, bytes: Int, storage: any Storage, pace: PreparationPace? = nil
    ) throws(Errno) -> any StorageFile {
        let file = try storage.open(path, for: .creating)
        do throws(Errno) {
            // Fails at once when there is no room, instead of after filling what there is.
            try file.allocate(bytes)
            try fill(file, bytes: bytes, storage: storage, pace: pace)
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
        _ file: any StorageFile, bytes: Int, storage: any Storage, pace: PreparationPace?
    ) throws(Errno) {
        var offset = 0
        while offset < bytes {
            let start = storage.monotonicMicroseconds()
            let end = min(offset + pieceBytes, bytes)
            while offset < end {
                let count = min(zeros.count, end - offset)
                try file.writeAll(zeros, count: count, at: offset)
                offset += count
            }
            if let pace, !pace.isUrgent {
                try file.syncContent()
                pace.rest(afterMicroseconds: storage.monotonicMicroseconds() - start)
            }
        }
    }
}

extension StorageFile {
    /// Writes the first `count` of `bytes`.
    fileprivate func writeAll(_ bytes: [UInt8], count: Int, at offset: Int) throws(Errno) {
        let failure: Errno? = bytes.withUnsafeBytes { buffer in
            let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            do throws(Errno) { try writeAll(piece, at: offset) } catch { return error }
            return nil
        }
        if let failure { throw failure }
    }
}
