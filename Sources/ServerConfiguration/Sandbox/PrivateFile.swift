import Glibc

/// Files and folders that only their owner may read, whatever the umask is.
enum PrivateFile {
    /// Creates a folder with mode 0700, and its parents with the umask's modes, unless it exists.
    /// An existing folder keeps its mode: it may be the user's own.
    static func makeFolder(_ path: String) throws(SandboxFolderError) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            let parent = String(path[..<slash])
            if stat(parent, &status) != 0 { try makeParents(parent) }
        }
        guard mkdir(path, 0o700) == 0 else {
            throw .system(operation: "mkdir", path: path, errno: errno)
        }
    }

    private static func makeParents(_ path: String) throws(SandboxFolderError) {
        var position = path.startIndex
        while position < path.endIndex {
            let rest = path[path.index(after: position)...]
            position = rest.firstIndex(of: "/") ?? path.endIndex
            let parent = String(path[..<position])
            guard mkdir(parent, 0o777) == 0 || errno == EEXIST else {
                throw .system(operation: "mkdir", path: parent, errno: errno)
            }
        }
    }

    /// Writes a file with the given mode and syncs it to the disk.
    static func write(
        _ bytes: [UInt8], to path: String, mode: mode_t
    ) throws(SandboxFolderError) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW
        let descriptor = Glibc.open(path, flags, mode)
        guard descriptor >= 0 else { throw .system(operation: "open", path: path, errno: errno) }
        defer { Glibc.close(descriptor) }
        // An interrupted init may have left the file with another mode, and the umask clears bits.
        guard fchmod(descriptor, mode) == 0 else {
            throw .system(operation: "chmod", path: path, errno: errno)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw .system(operation: "write", path: path, errno: errno)
            }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else {
            throw .system(operation: "fsync", path: path, errno: errno)
        }
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Makes the names in a folder durable (fsync(2): a file's fsync does not sync its entry).
    static func syncFolder(_ path: String) throws(SandboxFolderError) {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(operation: "open", path: path, errno: errno) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw .system(operation: "fsync", path: path, errno: errno)
        }
    }
}
