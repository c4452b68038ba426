import Glibc
import Journal
import Platform
import SystemPackage

/// The real file system without some syncs, as a planted defect.
struct ForgetfulStorage: Storage {
    private let syncsFiles: Bool
    private let syncsDirectories: Bool
    private let real = PosixStorage()

    init(syncsFiles: Bool = true, syncsDirectories: Bool = true) {
        self.syncsFiles = syncsFiles
        self.syncsDirectories = syncsDirectories
    }

    func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile {
        let file = try real.open(path, for: use)
        return syncsFiles ? file : ForgetfulFile(real: file)
    }
    func fsyncDirectory(_ path: String) throws(Errno) {
        if syncsDirectories { try real.fsyncDirectory(path) }
    }
    func lock(_ path: String) throws(Errno) -> any StorageFile { try real.lock(path) }
    /// Returns a directory with this storage; the real one would have the real storage.
    func lockDirectory(_ path: String) throws(Errno) -> any LockedDirectory {
        ForgetfulDirectory(real: try real.lockDirectory(path), storage: self)
    }
    func identity(of path: String) throws(Errno) -> FileIdentity { try real.identity(of: path) }
    func makeDirectory(_ path: String) throws(Errno) { try real.makeDirectory(path) }
    func list(_ directory: String) throws(Errno) -> [String] { try real.list(directory) }
    func rename(_ path: String, to newPath: String) throws(Errno) {
        try real.rename(path, to: newPath)
    }
    func link(_ path: String, to newPath: String) throws(Errno) {
        try real.link(path, to: newPath)
    }
    func unlink(_ path: String) throws(Errno) { try real.unlink(path) }
    func bytesAvailable(_ directory: String) throws(Errno) -> Int {
        try real.bytesAvailable(directory)
    }
    var clock: any Clock { real.clock }
    func randomBits() -> UInt64 { real.randomBits() }
}

private final class ForgetfulDirectory: LockedDirectory {
    let storage: any Storage
    private let real: any LockedDirectory

    init(real: any LockedDirectory, storage: ForgetfulStorage) {
        self.real = real
        self.storage = storage
    }

    var identity: FileIdentity { real.identity }
    func unlock() { real.unlock() }
}

/// A file whose syncs do nothing.
private final class ForgetfulFile: StorageFile {
    private let real: any StorageFile

    init(real: any StorageFile) { self.real = real }

    func fdatasync() throws(Errno) {}
    func fsync() throws(Errno) {}
    func bytes() throws(Errno) -> Int { try real.bytes() }
    func identity() throws(Errno) -> FileIdentity { try real.identity() }
    func lock() throws(Errno) { try real.lock() }
    func unlock() { real.unlock() }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        try real.read(into: buffer, at: offset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
        try real.write(bytes, at: offset)
    }
    func allocate(_ bytes: Int) throws(Errno) { try real.allocate(bytes) }
}
