import CLinux
import Glibc
import SystemPackage

/// An open file: positional reads and writes, and what makes them durable. The descriptor closes
/// with the last reference, which also releases its lock (flock(2)).
///
/// EINTR is retried inside every call. A short read or write is *not* continued here: the caller
/// sees how many bytes went through, because only it knows what a partial write means.
package final class File: Sendable {
    /// What a file is opened for.
    package enum Use: Sendable {
        /// Reading an existing file.
        case reading
        /// Reading and writing an existing file.
        case writing
        /// Reading and writing a new file; whatever had the name before is emptied.
        case creating
    }

    private let descriptor: Int32

    /// Opens `path`, which counts from `base` or the working directory. Throws the error of
    /// open(2), and `Errno.invalidArgument` for what is not a regular file: a FIFO would be waited
    /// for, and a device has no content to keep. A new file is readable by its owner and group
    /// only: notifications hold personal data.
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

    /// Opening a FIFO waits for its other end unless O_NONBLOCK is given, which a regular file does
    /// not care about.
    private static func open(
        _ path: String, _ flags: Int32, _ base: OpenDirectory?
    ) throws(Errno) -> Int32 {
        try FileCall.retrying {
            openat(base.base, path, flags | O_CLOEXEC | O_NONBLOCK, 0o640)
        }
    }

    deinit { _ = Glibc.close(descriptor) }

    /// Opens or creates `path` and takes an exclusive flock(2) on it. Throws `Errno.wouldBlock`
    /// when another open file, of this process or another, holds it.
    package init(locking path: String, in base: OpenDirectory? = nil) throws(Errno) {
        descriptor = try Self.open(path, O_RDWR | O_CREAT, base)
        try lock()
    }

    /// Takes an exclusive flock(2), until the file is let go. Throws `Errno.wouldBlock` when
    /// another open file, of this process or another, holds it.
    package func lock() throws(Errno) {
        try FileCall.retrying { flock(descriptor, LOCK_EX | LOCK_NB) }
    }

    /// Lets the lock go.
    package func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Which file this is, whatever it is called by now.
    package func identity() throws(Errno) -> FileIdentity {
        try FileIdentity(descriptor: descriptor)
    }

    /// The size in bytes.
    package func bytes() throws(Errno) -> Int {
        var status = stat()
        try FileCall.retrying { fstat(descriptor, &status) }
        return Int(status.st_size)
    }

    /// Reads up to `buffer.count` bytes at `offset`; 0 means the end of the file. See pread(2).
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno)
        -> Int
    {
        try FileCall.retrying { pread(descriptor, buffer.baseAddress, buffer.count, offset) }
    }

    /// Writes up to `bytes.count` bytes at `offset` and says how many. See pwrite(2).
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        do throws(Errno) { return try writeOnce(bytes, at: offset) } catch {
            guard error == .invalidArgument, ipnd_set_direct(descriptor, false) else { throw error }
            return try writeOnce(bytes, at: offset)
        }
    }

    private func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        try FileCall.retrying { pwrite(descriptor, bytes.baseAddress, bytes.count, offset) }
    }

    /// Whether writes go past the page cache from now on (O_DIRECT in open(2)), where the file
    /// system can. Memory, offset and length should then be multiples of the device's block: once
    /// the kernel has refused a write for them, all go through the cache again.
    package func bypassCache(_ isBypassed: Bool) {
        _ = ipnd_set_direct(descriptor, isBypassed)
    }

    /// Reserves room for `bytes` bytes, so that a full disk is found before it is half written. See
    /// posix_fallocate(3), which returns its error instead of setting errno.
    package func allocate(_ bytes: Int) throws(Errno) {
        while true {
            let code = posix_fallocate(descriptor, 0, bytes)
            if code == 0 { return }
            if code != EINTR { throw Errno(rawValue: code) }
        }
    }

    /// Makes the content durable, and of the metadata what reading it back needs. See fdatasync(2).
    package func fdatasync() throws(Errno) {
        try FileCall.retrying { Glibc.fdatasync(descriptor) }
    }

    /// Makes content and metadata durable. See fsync(2). The name needs `Directory.fsync` besides.
    package func fsync() throws(Errno) {
        try FileCall.retrying { Glibc.fsync(descriptor) }
    }
}

/// How a file system call's result becomes a value or a thrown `Errno`.
enum FileCall {
    /// Runs `call` until a signal no longer interrupts it. EINTR says that nothing was done
    /// (signal(7)), so the same call can be made again; every other error is thrown.
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

/// The size of a file by its name.
package enum FileSize {
    /// Bytes, or nil when there is no such file. See stat(2).
    package static func of(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Int(status.st_size)
    }
}

/// Which file or directory it is, whatever it is called: its device and its number there.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// What `path` leads to now. See stat(2).
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
