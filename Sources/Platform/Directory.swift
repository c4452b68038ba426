import CLinux
import Glibc
package import SystemPackage

/// Operations on names. None is durable until `fsync` of the directory that holds the name. Paths
/// are relative to `base`, or to the working directory.
package enum Directory {
    /// Creates a directory that its owner may write and its group may read. See mkdir(2).
    package static func make(_ path: String, in base: OpenDirectory? = nil) throws(Errno) {
        try FileCall.retrying { mkdirat(base.base, path, 0o750) }
    }

    /// Returns the names in a directory in no order, without `.` and `..`. See readdir(3).
    package static func list(_ path: String, in base: OpenDirectory? = nil) throws(Errno)
        -> [String]
    {
        let descriptor = try open(path, base)
        guard let stream = fdopendir(descriptor) else {
            let error = Errno(rawValue: errno)
            _ = Glibc.close(descriptor)
            throw error
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // readdir distinguishes its end from an error only by errno.
            errno = 0
            guard let entry = readdir(stream) else {
                if errno != 0 { throw Errno(rawValue: errno) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    /// Renames a file; an existing file at `newPath` is replaced. See rename(2).
    package static func rename(
        _ path: String, to newPath: String, in base: OpenDirectory? = nil
    ) throws(Errno) {
        try FileCall.retrying { renameat(base.base, path, base.base, newPath) }
    }

    /// Gives a file a second name, which must not exist. See link(2).
    package static func link(
        _ path: String, to newPath: String, in base: OpenDirectory? = nil
    ) throws(Errno) {
        try FileCall.retrying { linkat(base.base, path, base.base, newPath, 0) }
    }

    /// Removes a name. See unlink(2).
    package static func unlink(_ path: String, in base: OpenDirectory? = nil) throws(Errno) {
        try FileCall.retrying { unlinkat(base.base, path, 0) }
    }

    /// Makes the names in a directory durable. See fsync(2) on directories. For `base` itself (".")
    /// this needs no further descriptor, so it cannot fail for lack of one.
    package static func fsync(_ path: String, in base: OpenDirectory? = nil) throws(Errno) {
        if let base, path == "." {
            try FileCall.retrying { Glibc.fsync(base.descriptor) }
            return
        }
        let descriptor = try open(path, base)
        defer { _ = Glibc.close(descriptor) }
        try FileCall.retrying { Glibc.fsync(descriptor) }
    }

    private static func open(_ path: String, _ base: OpenDirectory?) throws(Errno) -> Int32 {
        try FileCall.retrying {
            openat(base.base, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
    }

    /// Returns the bytes that an unprivileged process can still write to the file system of `path`.
    /// See statvfs(3).
    package static func bytesAvailable(
        _ path: String, in base: OpenDirectory? = nil
    ) throws(Errno) -> Int {
        var status = statvfs()
        try FileCall.retrying {
            if let base, path == "." { return fstatvfs(base.descriptor, &status) }
            return statvfs(path, &status)
        }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }
}

/// An open directory. Names are looked up in it even after it was renamed.
package final class OpenDirectory: Sendable {
    let descriptor: Int32

    /// Opens `path`. Throws the error of open(2); `Errno.notDirectory` if it is not a directory.
    package init(_ path: String) throws(Errno) {
        descriptor = try FileCall.retrying {
            Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
    }

    deinit { _ = Glibc.close(descriptor) }

    /// Takes an exclusive flock(2) until `unlock` or `deinit`. Throws `Errno.wouldBlock` if another
    /// open file holds it, and `Errno.badFileDescriptor` on a file system that locks only files
    /// open for writing, such as NFS.
    package func lock() throws(Errno) {
        try FileCall.retrying { flock(descriptor, LOCK_EX | LOCK_NB) }
    }

    /// Releases the lock.
    package func unlock() { _ = flock(descriptor, LOCK_UN) }

    /// Identifies this directory.
    package func identity() throws(Errno) -> FileIdentity {
        try FileIdentity(descriptor: descriptor)
    }
}

extension OpenDirectory? {
    /// The descriptor for the `…at` calls: this directory, or the working directory.
    var base: Int32 { self?.descriptor ?? AT_FDCWD }
}
