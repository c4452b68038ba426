import Platform
import SystemPackage

/// What a journal asks of the world: names, files, time and chance. `PosixStorage` is the real one;
/// a simulation that loses what was not synced can stand in.
package protocol Storage: Sendable {
    /// Opens a file; `.creating` empties or creates it.
    func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile
    /// Opens or creates `path` and locks it against every other writer until the file is let go.
    /// Throws `Errno.wouldBlock` when it is locked.
    func lock(_ path: String) throws(Errno) -> any StorageFile
    /// Opens a directory and locks it against every other writer until it is let go: unlike a file
    /// in it, nobody can remove it from under a lock and put another one in its place unnoticed.
    /// Throws `Errno.wouldBlock` when it is locked.
    func lockDirectory(_ path: String) throws(Errno) -> any LockedDirectory
    /// What a path leads to now.
    func identity(of path: String) throws(Errno) -> FileIdentity
    /// `Errno.fileExists` when the name is taken.
    func makeDirectory(_ path: String) throws(Errno)
    /// The names in a directory, in any order.
    func list(_ directory: String) throws(Errno) -> [String]
    /// Renames; an existing file at `newPath` is replaced.
    func rename(_ path: String, to newPath: String) throws(Errno)
    /// Gives a file a second name; `Errno.fileExists` when it is taken.
    func link(_ path: String, to newPath: String) throws(Errno)
    /// Removes a name; an open file stays usable.
    func unlink(_ path: String) throws(Errno)
    /// Makes the names in a directory durable.
    func fsyncDirectory(_ path: String) throws(Errno)
    /// Room left on the file system of `directory`, in bytes.
    func bytesAvailable(_ directory: String) throws(Errno) -> Int
    /// Whose time files are dated with, and work on them is measured and paced by.
    var clock: any Clock { get }
    /// Bits that nobody can guess.
    func randomBits() -> UInt64
}

extension Storage {
    /// Wall-clock microseconds since 1970.
    func wallMicroseconds() -> Int64 { clock.wallMicroseconds }

    /// Microseconds of a clock that never jumps.
    func monotonicMicroseconds() -> Int64 { Int64(clock.now.nanoseconds / 1000) }
}

/// A directory that is locked.
package protocol LockedDirectory: AnyObject, Sendable {
    /// Which directory it is.
    var identity: FileIdentity { get }
    /// The storage in which the path that was locked always means this directory.
    var storage: any Storage { get }
    /// Lets the lock go, before the directory itself is let go.
    func unlock()
}

/// An open file. It closes when the last reference goes.
package protocol StorageFile: AnyObject, Sendable {
    /// Locks the file against every other writer until it is let go. Throws `Errno.wouldBlock` when
    /// it is locked.
    func lock() throws(Errno)
    /// Lets the lock go.
    func unlock()
    /// Which file it is.
    func identity() throws(Errno) -> FileIdentity
    /// The size in bytes.
    func bytes() throws(Errno) -> Int
    /// Reads up to `buffer.count` bytes; 0 at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int
    /// Writes up to `bytes.count` bytes and says how many. May throw `Errno.interrupted`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int
    /// Reserves room for the first `bytes` bytes.
    func allocate(_ bytes: Int) throws(Errno)
    /// Whether writes go past the page cache from now on; they then had better be whole blocks from
    /// aligned memory. A wish: where it cannot be, nothing changes.
    func bypassCache(_ isBypassed: Bool)
    /// Makes the content durable.
    func fdatasync() throws(Errno)
    /// Makes content and metadata durable.
    func fsync() throws(Errno)
}

extension StorageFile {
    package func bypassCache(_ isBypassed: Bool) {}

    /// Writes all of `bytes`: a short write is continued where it stopped, and EINTR, which says
    /// that nothing was written, is tried again. A write of nothing is an error, so that this ends.
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
    func writeAll(_ bytes: [UInt8], at offset: Int) throws(Errno) {
        let result: Result<Void, Errno> = bytes.withUnsafeBytes { buffer in
            do throws(Errno) { return .success(try writeAll(buffer, at: offset)) } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Syncs the content; EINTR, which is not an error of writing back, is tried again.
    func syncContent() throws(Errno) {
        while true {
            do { return try fdatasync() } catch { if error != .interrupted { throw error } }
        }
    }

    /// Reads until `buffer` is full or the file ends; returns how many bytes.
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

    /// Reads until `bytes` is full or the file ends; returns how many bytes.
    func readAll(_ bytes: inout [UInt8], at offset: Int) throws(Errno) -> Int {
        let result: Result<Int, Errno> = bytes.withUnsafeMutableBytes { buffer in
            do throws(Errno) { return .success(try readAll(into: buffer, at: offset)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
