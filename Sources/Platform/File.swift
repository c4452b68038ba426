import CLinux
import Glibc
package import SystemPackage

/// An open file: positional reads and writes, and the calls that make them durable. The descriptor
/// is closed with the last reference, which also releases its lock (flock(2)).
///
/// Every call retries on EINTR. A short read or write is *not* continued here: the number of bytes
/// is returned, because only the caller can decide what a partial write means.
package final class File: Sendable {
    /// Access that a file is opened for.
    package enum Use: Sendable {
        /// Reading an existing file.
        case reading
        /// Reading and writing an existing file.
        case writing
        /// Reading and writing a new file; an existing file of that name is emptied.
        case creating
    }

    private let descriptor: Int32

    /// Opens `path`, relative to `base` or the working directory. Throws the error of open(2), and
    /// `Errno.invalidArgument` if it is not a regular file: opening a FIFO would block, and a
    /// device has no content to keep. A new file is readable by its owner and group only, because
    /// notifications hold personal data.
    package init(_ path: String, for use: Use, in base: OpenDirectory? = nil) throws(Errno) {
        let flags =
            switch use {
            case .reading: O_RDONLY
            case .writing: O_RDWR
            case .creating: O_RDWR | O_CREAT | O_TRUNC
            }
        descriptor = try Self.open(path, flags, base)
        var status = stat()
        try FileCall.retrying { fstat(descriptor, &status) }
        if status.st_mode & S_IFMT != S_IFREG { throw .invalidArgument }
    }

    /// Opening a FIFO blocks until its other end is opened unless O_NONBLOCK is given, which has no
    /// effect on a regular file.
    private static func open(
        _ path: String, _ flags: Int32, _ base: OpenDirectory?
    ) throws(Errno) -> Int32 {
        try FileCall.retrying {
            openat(base.base, path, flags | O_CLOEXEC | O_NONBLOCK, 0o640)
        }
    }

    deinit { _ = Glibc.close(descriptor) }

    /// Opens or creates `path` and takes an exclusive flock(2) on it. Throws `Errno.wouldBlock` if
    /// another open file, of this process or another, holds it.
    package init(locking path: String, in base: OpenDirectory? = nil) throws(Errno) {
        descriptor = try Self.open(path, O_RDWR | O_CREAT, base)
        try lock()
    }

    /// Takes an exclusive flock(2) until the file is closed. Throws `Errno.wouldBlock` if another
    /// open file, of this process or another, holds it.
    package func lock() throws(Errno) {
        try FileCall.retrying { flock(descriptor, LOCK_EX | LOCK_NB) }
    }

    /// Releases the lock.
    package func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Identifies this file, even after it was renamed.
    package func identity() throws(Errno) -> FileIdentity {
        try FileIdentity(descriptor: descriptor)
    }

    /// Returns the size in bytes.
    package func bytes() throws(Errno) -> Int {
        var status = stat()
        try FileCall.retrying { fstat(descriptor, &status) }
        return Int(status.st_size)
    }

    /// Reads up to `buffer.count` bytes at `offset`; returns 0 at the end of the file. See
    /// pread(2).
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno)
        -> Int
    {
        try FileCall.retrying { pread(descriptor, buffer.baseAddress, buffer.count, offset) }
    }

    /// Writes up to `bytes.count` bytes at `offset` and returns the number written. See pwrite(2).
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        do throws(Errno) { return try writeOnce(bytes, at: offset) } catch {
            guard error == .invalidArgument, ipnd_set_direct(descriptor, false) else { throw error }
            return try writeOnce(bytes, at: offset)
        }
    }

    private func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        try FileCall.retrying { pwrite(descriptor, bytes.baseAddress, bytes.count, offset) }
    }

    /// Sets whether writes bypass the page cache (O_DIRECT in open(2)), if the file system supports
    /// it. Memory, offset and length should then be multiples of the device's block size: once the
    /// kernel has refused a write for them, all writes go through the cache again.
    package func bypassCache(_ isBypassed: Bool) {
        _ = ipnd_set_direct(descriptor, isBypassed)
    }

    /// Reserves room for `bytes` bytes, so that a full disk is detected before it is half written.
    /// See posix_fallocate(3), which returns its error instead of setting errno.
    package func allocate(_ bytes: Int) throws(Errno) {
        while true {
            let code = posix_fallocate(descriptor, 0, bytes)
            if code == 0 { return }
            if code != EINTR { throw Errno(rawValue: code) }
        }
    }

    /// Makes the content durable, and the metadata that reading it back needs. See fdatasync(2).
    package func fdatasync() throws(Errno) {
        try FileCall.retrying { Glibc.fdatasync(descriptor) }
    }

    /// Makes content and metadata durable. See fsync(2). The name also needs `Directory.fsync`.
    package func fsync() throws(Errno) {
        try FileCall.retrying { Glibc.fsync(descriptor) }
    }
}

/// Converts the result of a file system call to a value or a thrown `Errno`.
enum FileCall {
    /// Repeats `call` while a signal interrupts it. EINTR means that nothing was done (signal(7)),
    /// so the same call can be repeated; every other error is thrown.
    @discardableResult
    static func retrying<Result: FixedWidthInteger & SignedInteger>(
        _ call: () -> Result
    ) throws(Errno) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let error = Errno(rawValue: errno)
            if error != .interrupted { throw error }
        }
    }
}

/// Size of a file by its path.
package enum FileSize {
    /// Returns the size in bytes, or nil if there is no such file. See stat(2).
    package static func of(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Int(status.st_size)
    }
}

/// Identity of a file or directory, independent of its name: its device and inode number.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// The file that `path` leads to now. See stat(2).
    package init(path: String) throws(Errno) {
        var status = Glibc.stat()
        try FileCall.retrying { stat(path, &status) }
        self.init(status)
    }

    init(descriptor: Int32) throws(Errno) {
        var status = Glibc.stat()
        try FileCall.retrying { fstat(descriptor, &status) }
        self.init(status)
    }

    private init(_ status: stat) {
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }
}
