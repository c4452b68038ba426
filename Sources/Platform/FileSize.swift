import Glibc

/// The size of a file by its name.
package enum FileSize {
    /// Bytes, or nil when there is no such file. See stat(2).
    package static func of(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Int(status.st_size)
    }
}
