import Glibc

/// Files that are read whole.
package enum SmallFile {
    /// As much as the rejection log may hold, and far more than a request may have.
    package static let bytesMax = 64 << 20

    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// - Throws: `missing`, `unreadable`.
    package static func bytes(_ path: String) throws(ReplayError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw .missing(path) }
            throw .unreadable(path, detail: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw .unreadable(path, detail: String(cString: strerror(errno)))
            }
            bytes += chunk[..<count]
            guard bytes.count <= bytesMax else {
                throw .unreadable(path, detail: "it has more than \(bytesMax) bytes")
            }
        }
    }
}
