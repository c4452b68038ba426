import SystemPackage

/// A piece of a file in memory, moved along as it is read, so that frames are judged and records are handed out where
/// they lie. Read with pread and not mapped: an error of the disk is then an `Errno` and not a SIGBUS.
final class SegmentWindow {
    private var buffer: UnsafeMutableRawBufferPointer
    private var file: (any StorageFile)?
    private var start = 0
    private var count = 0

    init(bytes: Int) {
        buffer = .allocate(byteCount: bytes, alignment: 4096)
    }

    deinit { buffer.deallocate() }

    /// Turns to another file.
    func turn(to file: any StorageFile) {
        self.file = file
        forget()
    }

    /// Forgets what was read, so that the next look sees what was written since.
    func forget() { count = 0 }

    /// The bytes from `offset` to the window's end: at least `needed`, fewer only where the file ends. They are valid until
    /// the next call. What is not in the window yet is read, `ahead` bytes at once (the window's size if nil).
    func bytes(
        at offset: Int, needed: Int, ahead: Int? = nil
    ) throws(Errno) -> UnsafeRawBufferPointer {
        if offset < start || offset + needed > start + count {
            try load(at: offset, count: max(needed, ahead ?? buffer.count))
        }
        return UnsafeRawBufferPointer(rebasing: buffer[(offset - start)..<count])
    }

    private func load(at offset: Int, count wanted: Int) throws(Errno) {
        count = 0
        if wanted > buffer.count {
            buffer.deallocate()
            buffer = .allocate(byteCount: wanted, alignment: 4096)
        }
        start = offset
        guard let file else { return }
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
        count = try file.readAll(into: target, at: offset)
    }
}
