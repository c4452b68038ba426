import Foundation
import TestSupport
import Testing

@testable import Journal

/// A real file system that is full or read-only: a small tmpfs, which only root can mount.
@Suite(.serialized) struct DiskFullTests {
    /// A tmpfs of `bytes` bytes, which is unmounted when it is released.
    final class SmallFileSystem {
        let path: String

        init(bytes: Int) throws {
            path = NSTemporaryDirectory() + "journal-tmpfs-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
            guard mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)") == 0 else {
                throw Failure(code: errno)
            }
        }

        /// Tried while it is busy: a program that another test is starting has this process' open
        /// files until it is loaded.
        func remountReadOnly() throws {
            var code: Int32 = 0
            _ = eventually {
                let done = mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil)
                code = done == 0 ? 0 : errno
                return code != EBUSY
            }
            guard code == 0 else { throw Failure(code: code) }
        }

        deinit {
            umount2(path, Int32(MNT_DETACH))
            rmdir(path)
        }

        struct Failure: Error { var code: Int32 }
    }

    static let canMount = (try? SmallFileSystem(bytes: 1 << 20)) != nil

    static let options: JournalOptions = {
        var options = JournalWriterTests.options
        options.preparationRetrySeconds = 0
        return options
    }()

    @Test(.enabled(if: canMount, "SKIPPED: mounting a small tmpfs needs root"))
    func `a full disk refuses and room is found by itself`() throws {
        let disk = try SmallFileSystem(bytes: 256 << 10)
        let ballast = disk.path + "/ballast"
        let journal = disk.path + "/journal"
        let writer = try JournalWriter.open(directory: journal, options: Self.options) { _, _ in }
        try Data(count: 180 << 10).write(to: URL(fileURLWithPath: ballast))
        var expected = 0
        var refusal: JournalError?
        while refusal == nil {
            try writer.append { $0.append(contentsOf: repeatElement(1, count: 1000)) }
            do {
                try writer.commit()
                expected += 1
            } catch { refusal = error }
        }
        #expect(refusal == .noSpace(.noSpace))
        #expect(writer.preparationFailure == .noSpace)
        #expect(expected > 20)
        #expect(writer.durableSequence == UInt64(expected))
        try FileManager.default.removeItem(atPath: ballast)
        try writer.append { $0.append(2) }
        try writer.commit()
        #expect(writer.preparationFailure == nil)
        writer.close()
        var records = 0
        _ = try JournalWriter.open(directory: journal, options: Self.options) { _, _ in
            records += 1
        }
        #expect(records == expected + 1)
    }

    @Test(.enabled(if: canMount, "SKIPPED: mounting a small tmpfs needs root"))
    func `a new journal on a full disk is not begun`() throws {
        let disk = try SmallFileSystem(bytes: 8 << 10)
        #expect(throws: JournalError.noSpace(.noSpace)) {
            _ = try JournalWriter.open(directory: disk.path + "/j", options: Self.options) { _, _ in
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path + "/j") == ["lock"])
    }

    @Test(.enabled(if: canMount, "SKIPPED: mounting a small tmpfs needs root"))
    func `a read-only file system is said to be so`() throws {
        let disk = try SmallFileSystem(bytes: 1 << 20)
        try writeOne(disk.path + "/j")
        try disk.remountReadOnly()
        #expect(
            throws: JournalError.unusable(
                operation: "lock", path: disk.path + "/j/lock", .readOnlyFileSystem)
        ) {
            _ = try JournalWriter.open(directory: disk.path + "/j", options: Self.options) { _, _ in
            }
        }
        var records = 0
        var reader = try JournalReader(directory: disk.path + "/j")
        _ = try reader.read { _, _ in records += 1 }
        #expect(records == 1, "reading needs no lock")
    }

    /// A separate function, so that every file is closed when it returns.
    private func writeOne(_ directory: String) throws {
        let writer = try JournalWriter.open(directory: directory, options: Self.options) { _, _ in }
        try writer.append { $0.append(1) }
        try writer.commit()
        writer.close()
    }
}
