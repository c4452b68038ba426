import Foundation
import TestSupport
import Testing

@testable import Journal

@Suite struct JournalWriterTests {
    /// Segments of 16 KiB on the real file system, prepared by the real thread.
    static let options: JournalOptions = {
        var options = JournalOptions()
        options.segmentBytes = 16 << 10
        options.recordBytesMax = 1 << 10
        options.frameBytesMax = 4 << 10
        options.windowBytes = 8 << 10
        return options
    }()

    static func open(
        _ directory: TemporaryFolder, _ options: JournalOptions = options
    ) throws(JournalError) -> (writer: JournalWriter, records: [String]) {
        var records: [String] = []
        let writer = try JournalWriter.open(directory: directory.path, options: options) {
            #expect($0 == UInt64(records.count + 1))
            records.append(String(decoding: $1, as: UTF8.self))
        }
        return (writer, records)
    }

    @Test func `committed records are replayed in order across segments`() throws {
        let directory = TemporaryFolder()
        var expected: [String] = []
        for round in 0..<3 {
            let (writer, records) = try Self.open(directory)
            #expect(records == expected)
            for batch in 0..<40 {
                for record in 0..<3 {
                    let text = "round \(round) batch \(batch) record \(record)"
                    expected.append(text)
                    let sequence = try writer.append { $0.append(contentsOf: text.utf8) }
                    #expect(sequence == UInt64(expected.count))
                }
                #expect(writer.pendingCount == 3)
                try writer.commit()
                #expect(writer.durableSequence == UInt64(expected.count))
            }
            writer.close()
        }
        let segments = try directory.names.filter { $0.hasSuffix(".segment") }
        #expect(segments.count == 5 && segments[0] == "0000000001.segment")
    }

    @Test func `a second writer is locked out`() throws {
        let directory = TemporaryFolder()
        let (writer, _) = try Self.open(directory)
        #expect(throws: JournalError.locked(directory: directory.path)) {
            _ = try Self.open(directory)
        }
        writer.close()
        _ = try Self.open(directory)
    }

    @Test func `a lock of another process counts`() throws {
        let directory = TemporaryFolder()
        try Self.open(directory).writer.close()
        let holder = try Child(
            "flock", [directory.path + "/lock", "sh", "-c", "echo held; cat"], input: .pipe,
            output: .pipe)
        _ = holder.output?.availableData
        #expect(throws: JournalError.locked(directory: directory.path)) {
            _ = try Self.open(directory)
        }
        try holder.input?.close()
        holder.waitUntilExit()
        _ = try Self.open(directory)
    }

    @Test func `segments of another size follow`() throws {
        let directory = TemporaryFolder()
        var options = Self.options
        var expected: [String] = []
        for segmentBytes in [16 << 10, 48 << 10, 8 << 10] {
            options.segmentBytes = segmentBytes
            let (writer, records) = try Self.open(directory, options)
            #expect(records == expected)
            for _ in 0..<40 {
                expected.append("record \(expected.count + 1)")
                try writer.append { $0.append(contentsOf: expected[expected.count - 1].utf8) }
                try writer.commit()
            }
            writer.close()
        }
        #expect(try Self.open(directory, options).records == expected)
    }

    @Test func `an encoder may ask for its sequence`() throws {
        let directory = TemporaryFolder()
        let (writer, _) = try Self.open(directory)
        for expected in 1...4 as ClosedRange<UInt64> {
            try writer.append {
                #expect(writer.nextSequence == expected)
                $0.append(1)
            }
            if expected == 2 { try writer.commit() }
        }
    }

    @Test func `limits are kept`() throws {
        let directory = TemporaryFolder()
        let (writer, _) = try Self.open(directory)
        #expect(throws: JournalError.recordTooLong(bytes: 1025)) {
            try writer.append { $0.append(contentsOf: repeatElement(1, count: 1025)) }
        }
        #expect(writer.pendingCount == 0 && writer.nextSequence == 1)
        var appended = 0
        while !writer.isFrameFull {
            try writer.append { $0.append(contentsOf: repeatElement(1, count: 1024)) }
            appended += 1
        }
        #expect(appended == 3)
        #expect(throws: JournalError.frameFull) { try writer.append { $0.append(1) } }
        try writer.commit()
        #expect(writer.durableSequence == 3)
        writer.close()
        #expect(throws: JournalError.closed) { try writer.append { $0.append(1) } }
    }

    @Test func `contradictory options are refused`() {
        let changes: [(inout JournalOptions) -> Void] = [
            { $0.recordBytesMax = 0 }, { $0.frameBytesMax = 1 << 10 },
            { $0.frameBytesMax = 17 << 20 }, { $0.segmentBytes = 4 << 10 },
            { $0.segmentBytes += 1 }, { $0.windowBytes = 0 },
        ]
        #expect(Self.options.mistake == nil && JournalOptions().mistake == nil)
        for change in changes {
            var options = Self.options
            change(&options)
            #expect(options.mistake != nil)
        }
    }

    @Test func `a record that the owner refuses stops the opening`() throws {
        let directory = TemporaryFolder()
        let (writer, _) = try Self.open(directory)
        for _ in 0..<3 { try writer.append { $0.append(7) } }
        try writer.commit()
        writer.close()
        struct Unreadable: Error {}
        let error = #expect(throws: JournalError.self) {
            _ = try JournalWriter.open(directory: directory.path, options: Self.options) {
                sequence, _ in
                if sequence == 2 { throw Unreadable() }
            }
        }
        #expect(
            error
                == .refused(
                    file: "0000000001.segment", offset: 512, sequence: 2, detail: "Unreadable()"))
    }

    @Test func `a missing directory is made or refused`() throws {
        let directory = TemporaryFolder()
        var options = Self.options
        options.createsDirectory = false
        let path = directory.path + "/journal"
        #expect(
            throws: JournalError.unusable(
                operation: "lock", path: path, .noSuchFileOrDirectory)
        ) { _ = try JournalWriter.open(directory: path, options: options) { _, _ in } }
        _ = try JournalWriter.open(directory: path, options: Self.options) { _, _ in }
        #expect(
            throws: JournalError.unusable(
                operation: "mkdir", path: path + "/a/b", .noSuchFileOrDirectory)
        ) { _ = try JournalWriter.open(directory: path + "/a/b") { _, _ in } }
    }

    @Test func `a directory that vanishes under a writer stops it`() throws {
        let directory = TemporaryFolder()
        let (writer, _) = try Self.open(directory)
        try writer.append { $0.append(1) }
        try writer.commit()
        // The next segment is being prepared there: until it is done, the directory is not empty.
        while FileManager.default.fileExists(atPath: directory.path) {
            try? FileManager.default.removeItem(atPath: directory.path)
        }
        try writer.append { $0.append(2) }
        let error = #expect(throws: JournalError.self) { try writer.commit() }
        #expect(error?.reason == "journal_displaced")
    }

    @Test func `idle markers are written once and do not count`() throws {
        let directory = TemporaryFolder()
        let (writer, _) = try Self.open(directory)
        let start = writer.chainHead
        try writer.markIdle()
        #expect(writer.chainHead == start, "an empty journal is idle already")
        try writer.append { $0.append(1) }
        try writer.markIdle()
        #expect(writer.pendingCount == 1, "records that wait are no idleness")
        try writer.commit()
        let afterRecord = writer.chainHead
        try writer.markIdle()
        let afterMarker = writer.chainHead
        #expect(afterMarker != afterRecord)
        try writer.markIdle()
        #expect(writer.chainHead == afterMarker)
        #expect(writer.nextSequence == 2)
        #expect(writer.snapshotPoint == SnapshotPoint(sequence: 1, chain: afterRecord))
    }
}
