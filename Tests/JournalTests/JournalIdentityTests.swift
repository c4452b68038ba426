import Foundation
import TestSupport
import Testing

@testable import Journal

/// The identity of a journal, and the copies of it.
@Suite struct JournalIdentityTests {
    private static let identity = GoldenBytesTests.identity

    @Test func `a note is read as it was written`() throws {
        var note = JournalNote(store: Self.identity)
        note.first = 4711
        note.clock = -1
        note.sequence = .max
        note.former = [try #require(StoreIdentity(hexadecimal: String(repeating: "0", count: 32)))]
        #expect(JournalNote(note.text) == note)
        #expect(
            note.text == """
                ipnd journal
                store 00112233445566778899aabbccddeeff
                was 00000000000000000000000000000000
                first 4711
                clock -1
                sequence 18446744073709551615
                check bafddb1e

                """)
    }

    @Test func `a note with a flipped bit is none`() throws {
        let bytes = [UInt8](JournalNote(store: Self.identity).text.utf8)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(JournalNote(String(decoding: damaged, as: UTF8.self)) == nil, "byte \(index)")
        }
    }

    @Test func `segments snapshots and statistics carry it`() throws {
        let fixture = try JournalFixture(snapshots: [8])
        let (writer, _) = try fixture.open()
        for name in JournalFixture.names {
            #expect(fixture.header(name).store == writer.identity)
        }
        let snapshot = try #require(
            try SnapshotFile.newestGood(
                directory: CrashWorkload.directory, storage: fixture.storage))
        #expect(snapshot.store == writer.identity)
        let statistics = try JournalStatistics.read(
            directory: CrashWorkload.directory, storage: fixture.storage)
        #expect(statistics.store == writer.identity)
    }

    @Test func `a lost identity file is made from the segments`() throws {
        let fixture = try JournalFixture()
        fixture["identity"] = nil
        let read = try JournalNote.find(CrashWorkload.directory, storage: fixture.storage)
        let (writer, _) = try fixture.open()
        #expect(writer.identity == fixture.header(JournalFixture.first).store)
        #expect(writer.identity == read?.store)
        #expect(fixture["identity"] != nil)
        writer.close()
        #expect(try fixture.open().writer.identity == writer.identity)
    }

    @Test func `a renewed identity accepts the old segments`() throws {
        let fixture = try JournalFixture()
        let before = try fixture.open().writer.identity
        var options = JournalFixture.options
        options.renewsIdentity = true
        let renewed = try JournalWriter.open(
            directory: CrashWorkload.directory, storage: fixture.storage, options: options
        ) { _, _ in }
        #expect(renewed.identity != before)
        renewed.close()
        let (writer, records) = try fixture.open()
        #expect(writer.identity == renewed.identity && records.count == 16)
    }

    @Test func `a directory that is no journal is not intact`() throws {
        let directory = TemporaryFolder()
        var verifier = JournalVerifier(directory: directory.path)
        #expect(throws: JournalError.absent(directory: directory.path)) {
            _ = try verifier.run()
        }
        #expect(try JournalNote.find(directory.path) == nil)
        #expect(try JournalNote.find(directory.path + "/none") == nil)
    }
}
