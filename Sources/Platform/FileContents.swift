import CLinux
import Glibc

/// The content of a small file.
package struct FileContents: Sendable {
    package enum Problem: Error, Equatable, Sendable {
        case missing
        /// The kernel's `errno`.
        case unreadable(Int32)
        case notRegular
        case tooLarge(bytesMax: Int)
    }

    package let bytes: [UInt8]
    /// The permission bits of `st_mode` (stat(2)).
    package let mode: UInt32

    /// Reads `path` if it has at most `bytesMax` bytes.
    ///
    /// - Parameter allowsPipes: Whether a pipe may be read too. Opening one waits for a writer, so
    ///   only commands allow it.
    package init(path: String, bytesMax: Int, allowsPipes: Bool = false) throws(Problem) {
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (allowsPipes ? 0 : O_NONBLOCK)
        let descriptor = Glibc.open(path, flags)
        guard descriptor >= 0 else { throw errno == ENOENT ? .missing : .unreadable(errno) }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno) }
        let type = status.st_mode & S_IFMT
        guard type == S_IFREG || allowsPipes && type != S_IFDIR else { throw .notRegular }
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

    /// Whether any user of this machine may read the file.
    package var isWorldReadable: Bool { mode & 0o004 != 0 }
}

extension FileContents.Problem {
    /// Describes the problem; follows the path in a message.
    package var clause: String {
        switch self {
        case .missing: "does not exist"
        case .unreadable(let code): "cannot be read: \(String(cString: strerror(code)))"
        case .notRegular: "is not a regular file"
        case .tooLarge(let bytesMax): "has more than \(bytesMax) bytes"
        }
    }
}
