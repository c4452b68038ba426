import Glibc
import Platform
import SystemPackage

/// The mode in which a file is opened: reading, writing an existing one, or creating.
package typealias FileUse = File.Use

/// The real file system.
package struct PosixStorage: Storage {
    /// An open directory, and the path by which it was opened: paths below it are resolved in the
    /// directory, even if the path leads elsewhere by now.
    private struct Anchor {
        let directory: OpenDirectory
        let path: String
    }

    private let anchor: Anchor?
    package let clock: any Clock

    package init(clock: any Clock = SystemClock()) {
        anchor = nil
        self.clock = clock
    }

    private init(_ anchor: Anchor, clock: any Clock) {
        self.anchor = anchor
        self.clock = clock
    }

    package func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile {
        let place = place(of: path)
        return try File(place.path, for: use, in: place.base)
    }

    package func lock(_ path: String) throws(Errno) -> any StorageFile {
        let place = place(of: path)
        return try File(locking: place.path, in: place.base)
    }

    package func lockDirectory(_ path: String) throws(Errno) -> any LockedDirectory {
        let directory = try OpenDirectory(path)
        do { try directory.lock() } catch {
            // On NFS only files that are open for writing can be locked, so not a directory. There
            // the locks on `lock` and on the open segment take its place.
            if error != .badFileDescriptor { throw error }
        }
        return Locked(
            directory: directory, identity: try directory.identity(),
            storage: PosixStorage(Anchor(directory: directory, path: path), clock: clock))
    }

    private final class Locked: LockedDirectory {
        let identity: FileIdentity
        let storage: any Storage
        private let directory: OpenDirectory

        init(directory: OpenDirectory, identity: FileIdentity, storage: any Storage) {
            self.directory = directory
            self.identity = identity
            self.storage = storage
        }

        func unlock() { directory.unlock() }
    }

    package func identity(of path: String) throws(Errno) -> FileIdentity {
        try FileIdentity(path: path)
    }

    package func makeDirectory(_ path: String) throws(Errno) {
        let place = place(of: path)
        try Directory.make(place.path, in: place.base)
    }

    package func list(_ directory: String) throws(Errno) -> [String] {
        let place = place(of: directory)
        return try Directory.list(place.path, in: place.base)
    }

    package func rename(_ path: String, to newPath: String) throws(Errno) {
        let place = place(of: path)
        try Directory.rename(place.path, to: self.place(of: newPath).path, in: place.base)
    }

    package func link(_ path: String, to newPath: String) throws(Errno) {
        let place = place(of: path)
        try Directory.link(place.path, to: self.place(of: newPath).path, in: place.base)
    }

    package func unlink(_ path: String) throws(Errno) {
        let place = place(of: path)
        try Directory.unlink(place.path, in: place.base)
    }

    package func fsyncDirectory(_ path: String) throws(Errno) {
        let place = place(of: path)
        try Directory.fsync(place.path, in: place.base)
    }

    package func bytesAvailable(_ directory: String) throws(Errno) -> Int {
        let place = place(of: directory)
        return try Directory.bytesAvailable(place.path, in: place.base)
    }

    /// Returns the base directory and relative path for the kernel. The journal names both ends of
    /// a rename or a link under the same directory.
    private func place(of path: String) -> (base: OpenDirectory?, path: String) {
        guard let anchor else { return (nil, path) }
        if path == anchor.path { return (anchor.directory, ".") }
        guard path.hasPrefix(anchor.path + "/") else { return (nil, path) }
        return (anchor.directory, String(path.dropFirst(anchor.path.count + 1)))
    }

    package func randomBits() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

extension File: StorageFile {}
