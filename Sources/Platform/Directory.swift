import CLinux
import Glibc
import SystemPackage

/// Operations on names. None of them is durable before `fsync` of the directory that holds the name.
package enum Directory {
    /// Creates a directory that its owner may write and its group may read. See mkdir(2).
    package static func make(_ path: String) throws(Errno) {
        try FileCall.retrying { mkdir(path, 0o750) }
    }

    /// The names in a directory, without `.` and `..`, in no order. See readdir(3).
    package static func list(_ path: String) throws(Errno) -> [String] {
        guard let stream = opendir(path) else { throw Errno(rawValue: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // readdir tells its end from an error by errno alone.
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

    /// Renames; an existing file at `newPath` is replaced. See rename(2).
    package static func rename(_ path: String, to newPath: String) throws(Errno) {
        try FileCall.retrying { Glibc.rename(path, newPath) }
    }

    /// Gives a file a second name, which must be free. See link(2).
    package static func link(_ path: String, to newPath: String) throws(Errno) {
        try FileCall.retrying { Glibc.link(path, newPath) }
    }

    /// Removes a name. See unlink(2).
    package static func unlink(_ path: String) throws(Errno) {
        try FileCall.retrying { Glibc.unlink(path) }
    }

    /// Makes the names in a directory durable. See fsync(2) on directories.
    package static func fsync(_ path: String) throws(Errno) {
        let descriptor = try FileCall.retrying {
            Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        defer { _ = Glibc.close(descriptor) }
        try FileCall.retrying { Glibc.fsync(descriptor) }
    }

    /// Bytes that an unprivileged process can still write to the file system of `path`. See statvfs(3).
    package static func bytesAvailable(_ path: String) throws(Errno) -> Int {
        var status = statvfs()
        try FileCall.retrying { statvfs(path, &status) }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }
}
