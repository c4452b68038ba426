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

    /// Returns the open file, or removes what was begun and throws.
    static func prepare(
        _ path: String, bytes: Int, storage: any Storage
    ) throws(Errno) -> any StorageFile {
        let file = try storage.open(path, for: .creating)
        do throws(Errno) {
            // Fails at once when there is no room, instead of after filling what there is.
            try file.allocate(bytes)
            try fill(file, bytes: bytes)
            try file.fsync()
            return file
        } catch {
            // Its own failure changes nothing: the next attempt empties the file, the next open
            // removes it.
            try? storage.unlink(path)
            throw error
        }
    }

    private static func fill(_ file: any StorageFile, bytes: Int) throws(Errno) {
        var offset = 0
        while offset < bytes {
            let count = min(zeros.count, bytes - offset)
            let failure: Errno? = zeros.withUnsafeBytes { buffer in
                let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                do throws(Errno) { try file.writeAll(piece, at: offset) } catch { return error }
                return nil
            }
            if let failure { throw failure }
            offset += count
        }
    }
}
