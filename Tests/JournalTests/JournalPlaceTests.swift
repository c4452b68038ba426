import Foundation
import TestSupport
import Testing

@testable import Journal

/// One directory, one writer, whatever happens to the names meanwhile.
@Suite struct JournalPlaceTests {
    private static let options: JournalOptions = {
        var options = JournalFixture.options
        options.preparesInBackground = false
        return options
    }()

    private static func open(_ path: String) throws -> JournalWriter {
        try JournalWriter.open(directory: path, options: options) { _, _ in }
    }

    private static func write(_ count: Int, to writer: JournalWriter) throws {
        for _ in 0..<count {
            try writer.append { $0.append(contentsOf: repeatElement(7, count: 900)) }
            try writer.commit()
        }
    }

    @Test func `a removed lock file lets nobody else in`() throws {
        let directory = TemporaryFolder()
        let writer = try Self.open(directory.path)
        try FileManager.default.removeItem(atPath: directory.path + "/lock")
        #expect(throws: JournalError.locked(directory: directory.path)) {
            _ = try Self.open(directory.path)
        }
        try Self.write(20, to: writer)
        writer.close()
        #expect(try Self.open(directory.path).durableSequence == 20)
    }

    @Test func `a copy made of hard links is no second journal`() throws {
        let directory = TemporaryFolder()
        let (path, copy) = (directory.path + "/a", directory.path + "/b")
        let writer = try Self.open(path)
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        for name in ["identity", "0000000001.segment"] {
            try FileManager.default.linkItem(atPath: path + "/" + name, toPath: copy + "/" + name)
        }
        #expect(throws: JournalError.locked(directory: copy)) { _ = try Self.open(copy) }
        writer.close()
        #expect(try Self.open(copy).durableSequence == 0)
    }

    enum Displacement: String, CaseIterable { case moved, replaced, segmentReplaced }

    @Test(arguments: Displacement.allCases)
    func `nothing is acknowledged after a displacement`(_ displacement: Displacement) throws {
        let directory = TemporaryFolder()
        let (path, aside) = (directory.path + "/a", directory.path + "/b")
        let writer = try Self.open(path)
        try Self.write(1, to: writer)
        let files = FileManager.default
        switch displacement {
        case .moved: try files.moveItem(atPath: path, toPath: aside)
        case .replaced:
            try files.moveItem(atPath: path, toPath: aside)
            _ = try Self.open(path)
        case .segmentReplaced:
            let segment = path + "/0000000001.segment"
            try files.copyItem(atPath: segment, toPath: aside)
            try files.removeItem(atPath: segment)
            try files.moveItem(atPath: aside, toPath: segment)
        }
        let check = try #require(throws: JournalError.self) { try writer.checkPlace() }
        #expect(check.reason == "journal_displaced")
        #expect(throws: check) { try Self.write(1, to: writer) }
        #expect(writer.durableSequence == 1)
    }

    /// Files of a writer in a moved directory are created in that directory, not in its
    /// replacement.
    @Test func `files are made in the directory that is locked`() throws {
        let directory = TemporaryFolder()
        let (path, aside) = (directory.path + "/a", directory.path + "/b")
        let writer = try Self.open(path)
        try Self.write(1, to: writer)
        try FileManager.default.moveItem(atPath: path, toPath: aside)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let point = try #require(writer.snapshotPoint)
        try writer.maintenance.snapshot(of: point).finish()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
        #expect(FileManager.default.fileExists(atPath: aside + "/0000000001.snapshot"))
    }

    @Test func `a FIFO among the segment's is refused and not waited for`() throws {
        let directory = TemporaryFolder()
        #expect(mkfifo(directory.path + "/0000000001.segment", 0o600) == 0)
        let error = #expect(throws: JournalError.self) { _ = try Self.open(directory.path) }
        guard case .damaged(let damage)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(damage.reason == .segmentHeader && damage.detail == "it is not a regular file")
    }
}
