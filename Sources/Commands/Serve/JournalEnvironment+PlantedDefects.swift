#if PLANTED_DEFECTS
import Glibc
import Journal
import JournalStore
import Platform
import SystemPackage

/// A build with mistakes in it, one of which `IPND_DEFECT` chooses: whatever claims to prove
/// that the journal survives a crash must notice each of them.
enum JournalEnvironment {
    private static let defect = getenv("IPND_DEFECT").map { String(cString: $0) }

    static var storage: any Storage {
        switch defect {
        case "never-sync": ForgetfulStorage(syncsFiles: false)
        case "skip-directory-sync": ForgetfulStorage(syncsDirectories: false)
        default: PosixStorage()
        }
    }

    static var environment: StoreEnvironment {
        var environment = StoreEnvironment()
        switch defect {
        case "answer-before-sync": environment.plantedDefect = .answersBeforeSync
        case "pending-is-durable": environment.plantedDefect = .treatsPendingAsDurable
        default: break
        }
        return environment
    }
}

/// The real file system, without some of what makes things durable.
private struct ForgetfulStorage: Storage {
    var syncsFiles = true
    var syncsDirectories = true
    private let real = PosixStorage()

    func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile {
        let file = try real.open(path, for: use)
        return syncsFiles ? file : ForgetfulFile(real: file)
    }
    func fsyncDirectory(_ path: String) throws(Errno) {
        if syncsDirectories { try real.fsyncDirectory(path) }
    }
    func lock(_ path: String) throws(Errno) -> any StorageFile { try real.lock(path) }
    /// The storage of what is locked would be the real one.
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

/// A file whose syncs return without having done anything.
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
#endif
