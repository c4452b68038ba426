import TestSupport
import Testing

@testable import Journal

@Suite struct JournalStatisticsTests {
    private func statistics(_ fixture: JournalFixture) throws -> JournalStatistics {
        try JournalStatistics.read(
            directory: CrashWorkload.directory, storage: fixture.storage,
            options: JournalFixture.options)
    }

    @Test func `a journal is told in numbers`() throws {
        let fixture = try JournalFixture(idle: true, snapshots: [6, 10])
        let found = try statistics(fixture)
        #expect(found.segments == 3 && found.segmentsArchived == 0)
        #expect(found.records == 16 && found.span == 1...16)
        #expect(found.bytes == 3 * 8192 && found.bytesInLastSegment == 512 + 2 * 2048 + 512)
        #expect(found.snapshots == [10, 6] && found.bytesAvailable > 0)
        #expect(found.chainHead == (try fixture.open().writer.chainHead))
    }

    @Test func `archived segments count`() throws {
        let fixture = try JournalFixture()
        try fixture.storage.makeDirectory("/journal/archive")
        fixture.rename(JournalFixture.first, to: "archive/" + JournalFixture.first)
        let found = try statistics(fixture)
        #expect(found.segments == 2 && found.segmentsArchived == 1)
        #expect(found.records == 16 && found.span == 1...16)
    }

    @Test func `an empty journal has no span`() throws {
        let directory = TemporaryFolder()
        #expect(try JournalStatistics.read(directory: directory.path).segments == 0)
        try JournalWriterTests.open(directory).writer.close()
        let found = try JournalStatistics.read(directory: directory.path)
        #expect(found.segments == 1 && found.records == 0 && found.span == nil)
    }
}
