import Glibc

/// What a configuration reads: whole small regular files.
struct FileContents {
    enum Problem: Error, Equatable {
        case missing
        /// The kernel's `errno`.
        case unreadable(Int32)
        case notRegular
        case tooLarge(bytesMax: Int)
    }

    let bytes: [UInt8]
    /// The permission bits of `st_mode` (stat(2)).
    let mode: UInt32

    /// Reads `path` if it has at most `bytesMax` bytes.
    ///
    /// Only regular files: opening a pipe would wait for somebody to write.
    init(path: String, bytesMax: Int) throws(Problem) {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .unreadable(errno) }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
        mode = status.st_mode & 0o7777
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw .unreadable(errno)
            }
            if count == 0 { break }
            bytes += buffer[..<count]
            guard bytes.count <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
        }
        self.bytes = bytes
    }

    /// Anybody on this machine may read it.
    var isWorldReadable: Bool { mode & 0o004 != 0 }
}

extension FileContents.Problem {
    /// What is wrong, to be said after the path.
    var clause: String {
        switch self {
        case .missing: "does not exist"
        case .unreadable(let code): "cannot be read: \(String(cString: strerror(code)))"
        case .notRegular: "is not a regular file"
        case .tooLarge(let bytesMax): "has more than \(bytesMax) bytes"
        }
    }

    var remedy: String {
        switch self {
        case .missing: "create it or correct the path (relative ones count from this file's folder)"
        case .unreadable: "give the user that runs ipnd the right to read it"
        case .notRegular, .tooLarge: "correct the path"
        }
    }
}
