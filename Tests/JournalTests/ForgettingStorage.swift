import Journal
import Synchronization
import SystemPackage

/// Another storage, whose files note what the page cache is told to forget.
final class ForgettingStorage: Storage {
    private let real: any Storage
    private let notes = Mutex<[String]>([])

    init(_ real: any Storage) { self.real = real }

    /// A file's name and a range of it for each call.
    var forgotten: [String] { notes.withLock { $0 } }

    private final class NotingFile: StorageFile {
        let real: any StorageFile
        let note: @Sendable (Range<Int>) -> Void

        init(_ real: any StorageFile, _ note: @escaping @Sendable (Range<Int>) -> Void) {
            self.real = real
            self.note = note
        }

        func status() throws(Errno) -> (bytes: Int, isLinked: Bool) { try real.status() }
        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(Errno) -> Int {
            try real.read(into: buffer, at: offset)
        }
        func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(Errno) -> Int {
            try real.write(bytes, at: offset)
        }
        func allocate(_ bytes: Int) throws(Errno) { try real.allocate(bytes) }
        func forgetCached(_ part: Range<Int>) { note(part) }
        func fdatasync() throws(Errno) { try real.fdatasync() }
        func fsync() throws(Errno) { try real.fsync() }
    }

    func open(_ path: String, for use: FileUse) throws(Errno) -> any StorageFile {
        let name = FilePath(path).lastComponent?.string ?? ""
        return NotingFile(try real.open(path, for: use)) { [self] part in
            notes.withLock { $0.append("\(name) \(part)") }
        }
    }
    func lock(_ path: String) throws(Errno) -> any StorageFile { try real.lock(path) }
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
    func wallMicroseconds() -> Int64 { real.wallMicroseconds() }
    func monotonicMicroseconds() -> Int64 { real.monotonicMicroseconds() }
    func randomBits() -> UInt64 { real.randomBits() }
}
