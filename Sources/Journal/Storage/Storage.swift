import Platform
import SystemPackage

/// The environment of a journal: names, files, time and random bits. `PosixStorage` is the real
/// one; tests use a simulation that loses unsynced writes.
package protocol Storage: Sendable {
    /// Opens a file; `.creating` empties or creates it.
    func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile
    /// Opens or creates `path` and locks it against every other writer until the file is released.
    /// Throws `Errno.wouldBlock` if it is locked.
    func lock(_ path: String) throws(Errno) -> any StorageFile
    /// Opens a directory and locks it against every other writer until it is released. Unlike a
    /// file in it, it cannot be removed and replaced unnoticed while it is locked. Throws
    /// `Errno.wouldBlock` if it is locked.
    func lockDirectory(_ path: String) throws(Errno) -> any LockedDirectory
    /// The identity of the file that a path leads to now.
    func identity(of path: String) throws(Errno) -> FileIdentity
    /// Creates a directory. Throws `Errno.fileExists` if the name is taken.
    func makeDirectory(_ path: String) throws(Errno)
    /// The names in a directory, in any order.
    func list(_ directory: String) throws(Errno) -> [String]
    /// Renames; an existing file at `newPath` is replaced.
    func rename(_ path: String, to newPath: String) throws(Errno)
    /// Gives a file a second name. Throws `Errno.fileExists` if it is taken.
    func link(_ path: String, to newPath: String) throws(Errno)
    /// Removes a name; an open file stays usable.
    func unlink(_ path: String) throws(Errno)
    /// Makes the names in a directory durable.
    func fsyncDirectory(_ path: String) throws(Errno)
    /// Free space on the file system of `directory`, in bytes.
    func bytesAvailable(_ directory: String) throws(Errno) -> Int
    /// The clock that dates files, and that paces work on them.
    var clock: any Clock { get }
    /// Returns 64 unpredictable bits.
    func randomBits() -> UInt64
}

extension Storage {
    /// Wall-clock microseconds since 1970.
    func wallMicroseconds() -> Int64 { clock.wallMicroseconds }

    /// Microseconds of a monotonic clock.
    func monotonicMicroseconds() -> Int64 { Int64(clock.now.nanoseconds / 1000) }
}

/// A locked directory.
package protocol LockedDirectory: AnyObject, Sendable {
    /// The identity of the directory.
    var identity: FileIdentity { get }
    /// The storage in which the path that was locked always means this directory.
    var storage: any Storage { get }
    /// Releases the lock, before the directory itself is released.
    func unlock()
}

/// An open file. It closes with its last reference.
package protocol StorageFile: AnyObject, Sendable {
    /// Locks the file against every other writer until it is released. Throws `Errno.wouldBlock` if
    /// it is locked.
    func lock() throws(Errno)
    /// Releases the lock.
    func unlock()
    /// The identity of the file.
    func identity() throws(Errno) -> FileIdentity
    /// The size in bytes.
    func bytes() throws(Errno) -> Int
    /// Reads up to `buffer.count` bytes; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int
    /// Writes up to `bytes.count` bytes and returns how many. May throw `Errno.interrupted`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int
    /// Allocates the first `bytes` bytes.
    func allocate(_ bytes: Int) throws(Errno)
    /// Turns writing past the page cache on or off; such writes should be whole blocks from aligned
    /// memory. Has no effect if the file system does not support it.
    func bypassCache(_ isBypassed: Bool)
    /// Makes the content durable.
    func fdatasync() throws(Errno)
    /// Makes content and metadata durable.
    func fsync() throws(Errno)
}

extension StorageFile {
    package func bypassCache(_ isBypassed: Bool) {}

    /// Writes all of `bytes`. Continues after a short write, and repeats a write after EINTR, which
    /// means that nothing was written. Throws an error for a write of zero bytes, so that the loop
    /// ends.
    func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
        var written = 0
        while written < bytes.count {
            do throws(Errno) {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = try write(rest, at: offset + written)
                if count == 0 { throw Errno.ioError }
                written += count
            } catch {
                if error != .interrupted { throw error }
            }
        }
    }

    /// Writes all of `bytes`.
    package func writeAll(_ bytes: [UInt8], at offset: Int) throws(Errno) {
        let result: Result<Void, Errno> = bytes.withUnsafeBytes { buffer in
            do throws(Errno) { return .success(try writeAll(buffer, at: offset)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Syncs the content. Repeats the call after EINTR, which is not a write-back error.
    func syncContent() throws(Errno) {
        while true {
            do { return try fdatasync() } catch { if error != .interrupted { throw error } }
        }
    }

    /// Reads until `buffer` is full or the file ends; returns the number of bytes.
    func readAll(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        var count = 0
        while count < buffer.count {
            do throws(Errno) {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                let more = try read(into: rest, at: offset + count)
                if more == 0 { return count }
                count += more
            } catch {
                if error != .interrupted { throw error }
            }
        }
        return count
    }

    /// Reads until `bytes` is full or the file ends; returns the number of bytes.
    package func readAll(_ bytes: inout [UInt8], at offset: Int) throws(Errno) -> Int {
        let result: Result<Int, Errno> = bytes.withUnsafeMutableBytes { buffer in
            do throws(Errno) { return .success(try readAll(into: buffer, at: offset)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
