import Glibc
import Platform
import SystemPackage

/// How a file is opened: reading, writing an existing one, or creating.
package typealias FileUse = File.Use

/// The real file system.
package struct PosixStorage: Storage {
    package init() {}

    package func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile {
        try File(path, for: use)
    }

    package func lock(_ path: String) throws(Errno) -> any StorageFile {
        try File(locking: path)
    }

    package func makeDirectory(_ path: String) throws(Errno) {
        try Directory.make(path)
    }

    package func list(_ directory: String) throws(Errno) -> [String] {
        try Directory.list(directory)
    }

    package func rename(_ path: String, to newPath: String) throws(Errno) {
        try Directory.rename(path, to: newPath)
    }

    package func link(_ path: String, to newPath: String) throws(Errno) {
        try Directory.link(path, to: newPath)
    }

    package func unlink(_ path: String) throws(Errno) {
        try Directory.unlink(path)
    }

    package func fsyncDirectory(_ path: String) throws(Errno) {
        try Directory.fsync(path)
    }

    package func bytesAvailable(_ directory: String) throws(Errno) -> Int {
        try Directory.bytesAvailable(directory)
    }

    package func wallMicroseconds() -> Int64 { Self.microseconds(CLOCK_REALTIME) }

    package func monotonicMicroseconds() -> Int64 { Self.microseconds(CLOCK_MONOTONIC) }

    package func randomBits() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    private static func microseconds(_ clock: clockid_t) -> Int64 {
        var now = timespec()
        clock_gettime(clock, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }
}

extension File: StorageFile {}
