import SystemPackage
import TestSupport
import Testing

@testable import Journal

@Suite struct PosixStorageTests {
    private let storage = PosixStorage()

    @Test func `what is written is read back and synced`() throws {
        let directory = TemporaryFolder()
        let file = try storage.open(directory.path + "/a", for: .creating)
        try file.allocate(4096)
        #expect(try file.bytes() == 4096)
        try file.writeAll([1, 2, 3], at: 1000)
        try file.syncContent()
        try file.fsync()
        var bytes: [UInt8] = [9, 9, 9, 9]
        #expect(try file.readAll(&bytes, at: 1000) == 4)
        #expect(bytes == [1, 2, 3, 0])
        #expect(try file.readAll(&bytes, at: 4094) == 2)
        #expect(try file.readAll(&bytes, at: 5000) == 0)
    }

    @Test func `names are made listed renamed linked and removed`() throws {
        let directory = TemporaryFolder()
        let path = directory.path
        let file = try storage.open(path + "/a", for: .creating)
        try storage.makeDirectory(path + "/archive")
        try storage.link(path + "/a", to: path + "/archive/a")
        try storage.rename(path + "/a", to: path + "/b")
        try storage.fsyncDirectory(path)
        #expect(try storage.list(path).sorted() == ["archive", "b"])
        #expect(throws: Errno.fileExists) {
            try storage.link(path + "/b", to: path + "/archive/a")
        }
        #expect(throws: Errno.fileExists) { try storage.makeDirectory(path + "/archive") }
        try storage.unlink(path + "/b")
        #expect(try storage.identity(of: path + "/archive/a") == file.identity())
        try storage.unlink(path + "/archive/a")
        #expect(throws: Errno.noSuchFileOrDirectory) {
            try storage.identity(of: path + "/archive/a")
        }
        #expect(try storage.bytesAvailable(path) > 0)
    }

    @Test func `errors keep their numbers`() throws {
        let directory = TemporaryFolder()
        let path = directory.path + "/missing"
        #expect(throws: Errno.noSuchFileOrDirectory) { _ = try storage.open(path, for: .reading) }
        #expect(throws: Errno.noSuchFileOrDirectory) { _ = try storage.open(path, for: .writing) }
        #expect(throws: Errno.noSuchFileOrDirectory) { _ = try storage.list(path) }
        #expect(throws: Errno.noSuchFileOrDirectory) { try storage.fsyncDirectory(path) }
        #expect(throws: Errno.noSuchFileOrDirectory) { try storage.unlink(path) }
        _ = try storage.open(path, for: .creating)
        let file = try storage.open(path, for: .reading)
        #expect(throws: Errno.badFileDescriptor) { try file.writeAll([1], at: 0) }
        #expect(throws: Errno.notDirectory) { try storage.fsyncDirectory(path) }
    }

    @Test func `a lock is let go with its file`() async throws {
        let path = TemporaryFolder()
        var lock: (any StorageFile)? = try storage.lock(path.path + "/lock")
        #expect(throws: Errno.wouldBlock) { _ = try storage.lock(path.path + "/lock") }
        // A refused lock leaks no descriptor; other tests have some open, but fewer.
        for _ in 0..<2000 {
            #expect(throws: Errno.wouldBlock) { _ = try storage.lock(path.path + "/lock") }
        }
        #expect(try storage.list("/proc/self/fd").count < 1500)
        #expect(lock != nil)
        lock = nil
        // A program that another test starts holds it, too, until it is executed.
        #expect(await eventuallyYielding { (try? storage.lock(path.path + "/lock")) != nil })
    }
}
