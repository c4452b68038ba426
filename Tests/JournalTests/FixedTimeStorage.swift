import Journal
import Platform
import SystemPackage
import TestSupport

/// The real file system with a stopped clock.
struct FixedTimeStorage: Storage {
    let clock: any Clock
    private let real = PosixStorage()

    init(time: Int64) { clock = LeapingClock(wallMicroseconds: time) }

    func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile {
        try real.open(path, for: use)
    }
    func lock(_ path: String) throws(Errno) -> any StorageFile { try real.lock(path) }
    func lockDirectory(_ path: String) throws(Errno) -> any LockedDirectory {
        try real.lockDirectory(path)
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
    func fsyncDirectory(_ path: String) throws(Errno) { try real.fsyncDirectory(path) }
    func bytesAvailable(_ directory: String) throws(Errno) -> Int {
        try real.bytesAvailable(directory)
    }
    func randomBits() -> UInt64 { real.randomBits() }
}
