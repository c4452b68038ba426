import Testing

@testable import Journal

@Suite struct RetentionTests {
    private func apply(
        _ fixture: JournalFixture, days: Int, _ disposal: Retention.Disposal
    ) throws -> [String] {
        try Retention.apply(
            directory: CrashWorkload.directory, storage: fixture.storage, days: days,
            disposal: disposal)
    }

    @Test(arguments: [Retention.Disposal.archive, .delete])
    func oldSegmentsThatEverySnapshotCoversGo(disposal: Retention.Disposal) throws {
        let fixture = try JournalFixture(snapshots: [8, 14])
        #expect(try apply(fixture, days: 30, disposal) == [], "they are young")
        fixture.storage.advance(days: 31)
        // Record 8 stands in the second segment, which the older snapshot needs.
        #expect(try apply(fixture, days: 30, disposal) == [JournalFixture.first])
        #expect(fixture[JournalFixture.first] == nil && fixture[JournalFixture.second] != nil)
        #expect((fixture["archive/" + JournalFixture.first] != nil) == (disposal == .archive))
        #expect(try apply(fixture, days: 30, disposal) == [])
        let (writer, records) = try fixture.open()
        #expect(records.count == 16 && writer.recovery.snapshot == 14)
        writer.close()
        var verifier = JournalVerifier(
            directory: CrashWorkload.directory, storage: fixture.storage,
            options: CrashWorkload.options)
        let result = try verifier.run()
        #expect(result.damage == nil)
        #expect(result.span == (disposal == .archive ? 1 : 7)...16)
    }

    @Test func withoutAGoodSnapshotEverythingStays() throws {
        let fixture = try JournalFixture(snapshots: [14])
        fixture.edit("0000000014.snapshot") { $0[700] ^= 1 }
        fixture.storage.advance(days: 400)
        #expect(try apply(fixture, days: 30, .delete) == [])
    }

    @Test func theSegmentThatIsWrittenStays() throws {
        let fixture = try JournalFixture(snapshots: [16])
        fixture.storage.advance(days: 400)
        #expect(
            try apply(fixture, days: 1, .delete) == [JournalFixture.first, JournalFixture.second])
        #expect(try fixture.open().records.count == 16)
    }

    @Test func aClockThatJumpsBackKeepsSegments() throws {
        let fixture = try JournalFixture(snapshots: [16])
        fixture.storage.advance(days: -400)
        #expect(try apply(fixture, days: 1, .delete) == [])
    }

    /// The archive was linked, and the power went before the first name was removed.
    @Test func aHalfDoneMoveIsFinished() throws {
        let fixture = try JournalFixture(snapshots: [16])
        try fixture.storage.makeDirectory("/journal/archive")
        fixture["archive/" + JournalFixture.first] = fixture[JournalFixture.first]
        fixture.storage.advance(days: 400)
        #expect(try apply(fixture, days: 1, .archive).count == 2)
        #expect(fixture["archive/" + JournalFixture.second] != nil)
    }
}
