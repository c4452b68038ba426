import Foundation
import TestSupport
import Testing

@testable import Journal

/// Backups of a journal beside its writer, and restores from them.
@Suite struct JournalBackupTests {
    private static let options: JournalOptions = {
        var options = JournalFixture.options
        options.preparesInBackground = false
        return options
    }()

    private static func open(_ path: String) throws -> JournalWriter {
        try JournalWriter.open(directory: path, options: options) { _, _ in }
    }

    private static func write(_ numbers: ClosedRange<Int>, to writer: JournalWriter) throws {
        for number in numbers {
            try writer.append { $0.append(contentsOf: JournalFixture.record(number)) }
            try writer.commit()
        }
    }

    private static func backup(_ source: String, to path: String) throws -> JournalBackup.Report {
        try JournalBackup(of: source, to: path, storage: PosixStorage(clock: LeapingClock())).run()
    }

    private static func records(_ path: String) throws -> [[UInt8]] {
        var records: [[UInt8]] = []
        var reader = try JournalReader(directory: path)
        _ = try reader.read { records.append([UInt8]($1)) }
        return records
    }

    private static func damage(_ path: String) throws -> Damage? {
        var verifier = JournalVerifier(directory: path)
        return try verifier.run().damage
    }

    @Test func `each run brings the backup up to date beside a writer`() throws {
        let directory = TemporaryFolder()
        let (path, backup) = (directory.path + "/a", directory.path + "/b")
        let writer = try Self.open(path)
        try Self.write(1...5, to: writer)
        try writer.markIdle()
        var report = try Self.backup(path, to: backup)
        #expect(report.store == writer.identity && report.lastSequence == 5)
        #expect(try Self.records(backup) == (1...5).map(JournalFixture.record))
        try Self.write(6...20, to: writer)
        try writer.markIdle()
        report = try Self.backup(path, to: backup)
        #expect(report.lastSequence == 20 && report.segmentsCopied > 1)
        let copied = report.segmentsCopied
        #expect(try Self.records(backup) == (1...20).map(JournalFixture.record))
        #expect(try Self.damage(backup) == nil)
        // There is nothing new, so nothing is copied.
        report = try Self.backup(path, to: backup)
        #expect(report.segmentsCopied == 0 && report.segmentsKept >= copied)
        // Meanwhile it is not a journal.
        let note = try #require(try JournalNote.find(backup))
        #expect(note.store == writer.identity && note.first == 1)
    }

    /// The last frame of a busy writer may be lost again, so the copy ends before it.
    @Test func `a last frame that may not be durable is left for the next time`() throws {
        let directory = TemporaryFolder()
        let writer = try Self.open(directory.path)
        try Self.write(1...3, to: writer)
        let copy = SegmentCopy(storage: PosixStorage(), window: SegmentWindow(bytes: 1 << 16))
        let entry = try #require(
            try SegmentCatalog(directory.path, storage: PosixStorage()).open(1))
        let busy = try copy.end(of: entry)
        #expect(!busy.isIdle && busy.durable.nextSequence == 3 && busy.whole.nextSequence == 4)
        try writer.markIdle()
        let idle = try copy.end(of: entry)
        #expect(idle.isIdle && idle.durable.nextSequence == 4)
    }

    @Test func `what retention took stays in the backup`() throws {
        let directory = TemporaryFolder()
        let (path, backup) = (directory.path + "/a", directory.path + "/b")
        let writer = try Self.open(path)
        try Self.write(1...20, to: writer)
        try writer.markIdle()
        _ = try Self.backup(path, to: backup)
        var note = try #require(try JournalNote.find(path))
        try writer.maintenance.snapshot(of: try #require(writer.snapshotPoint)).finish()
        note.first = try SegmentCatalog(path, storage: PosixStorage()).numbers[1]
        try note.write("identity", in: path)
        try FileManager.default.removeItem(atPath: path + "/0000000001.segment")
        try Self.write(21...22, to: writer)
        try writer.markIdle()
        #expect(try Self.backup(path, to: backup).lastSequence == 22)
        #expect(try Self.records(backup) == (1...22).map(JournalFixture.record))
        #expect(try Self.damage(backup) == nil)
    }

    @Test func `a backup that is newer or another journal's is not replaced`() throws {
        let directory = TemporaryFolder()
        let (path, backup) = (directory.path + "/a", directory.path + "/b")
        let older = directory.path + "/older"
        var writer = try Self.open(path)
        try Self.write(1...3, to: writer)
        writer.close()
        try FileManager.default.copyItem(atPath: path, toPath: older)
        writer = try Self.open(path)
        try Self.write(4...5, to: writer)
        writer.close()
        _ = try Self.backup(path, to: backup)
        let newer = #expect(throws: JournalError.self) { try Self.backup(older, to: backup) }
        #expect(newer?.reason == "journal_copy_refused")
        #expect(newer?.description.contains("is newer") == true)
        // The older one is written to: it has the same length and another history.
        writer = try Self.open(older)
        try Self.write(100...120, to: writer)
        writer.close()
        let parted = #expect(throws: JournalError.self) { try Self.backup(older, to: backup) }
        #expect(
            parted?.description.contains("other records") == true, "\(String(describing: parted))")
        let other = directory.path + "/other"
        try Self.open(other).close()
        let foreign = #expect(throws: JournalError.self) { try Self.backup(other, to: backup) }
        #expect(foreign?.description.contains("is a backup of the store") == true)
        #expect(try Self.records(backup) == (1...5).map(JournalFixture.record))
    }

    @Test func `adirectory with something else in it is left alone`() throws {
        let directory = TemporaryFolder()
        let path = directory.path + "/a"
        try Self.open(path).close()
        #expect(throws: JournalError.self) { try Self.backup(path, to: directory.path) }
        #expect(throws: JournalError.absent(directory: directory.path + "/none")) {
            try Self.backup(directory.path + "/none", to: directory.path + "/b")
        }
    }

    @Test func `a restored journal opens and goes on`() throws {
        let directory = TemporaryFolder()
        let (path, backup) = (directory.path + "/a", directory.path + "/b")
        let restored = directory.path + "/c"
        let writer = try Self.open(path)
        try Self.write(1...20, to: writer)
        writer.close()
        _ = try Self.backup(path, to: backup)
        let (note, verification) = try JournalRestore(of: backup, to: restored).run()
        #expect(note.store == writer.identity && verification.span == 1...20)
        let again = try Self.open(restored)
        #expect(again.identity == writer.identity && again.durableSequence == 20)
        try Self.write(21...21, to: again)
        again.close()
        #expect(try Self.damage(restored) == nil)
        #expect(throws: JournalError.self) { try JournalRestore(of: backup, to: restored).run() }
        // A damaged backup is not restored.
        let segment = URL(fileURLWithPath: backup + "/0000000001.segment")
        var bytes = try Data(contentsOf: segment)
        bytes[700] ^= 1
        try bytes.write(to: segment)
        #expect(throws: JournalError.self) {
            try JournalRestore(of: backup, to: directory.path + "/d").run()
        }
    }

    /// The power fails at every operation: the result opens with all records, or not at all, or is
    /// as empty as before.
    @Test func `an interrupted restore is no shorter journal`() throws {
        let fixture = try JournalFixture(idle: true)
        var number = 0
        var isDone = false
        var states = Set<Int>()
        while !isDone {
            number += 1
            let storage = SimulatedStorage(fixture.storage.disk, plan: .powerCut(at: number))
            let restore = JournalRestore(
                of: CrashWorkload.directory, to: "/restored", storage: storage,
                options: JournalFixture.options)
            isDone = (try? restore.run()) != nil
            for seed in 0..<6 as Range<UInt64> {
                let names = [CutChoice.Names.strict, .eager, .random][Int(seed % 3)]
                var choice = CutChoice(.none, names, seed: seed)
                let after = SimulatedStorage(storage.disk.afterPowerCut(&choice))
                var count = 0
                let writer = try? JournalWriter.open(
                    directory: "/restored", storage: after, options: JournalFixture.options
                ) { _, _ in count += 1 }
                if writer != nil { states.insert(count) }
                #expect(
                    writer == nil || count == 0 || count == 16, "operation \(number), \(choice)")
                #expect(!isDone || count == 16)
            }
        }
        #expect(states == [0, 16])
    }
}
