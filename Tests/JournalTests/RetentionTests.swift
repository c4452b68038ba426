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
            options: JournalFixture.options)
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

    /// The power goes at every operation of a retention that takes two segments away.
    @Test(arguments: [Retention.Disposal.archive, .delete])
    func noPowerCutLosesASegmentOrLeavesAGap(disposal: Retention.Disposal) throws {
        let disk = try JournalFixture(snapshots: [16]).storage.disk
        var fixture = try JournalFixture()
        var number = 0
        var isDone = false
        while !isDone {
            number += 1
            let storage = SimulatedStorage(disk, plan: .powerCut(at: number))
            storage.advance(days: 400)
            fixture.storage = storage
            isDone = (try? apply(fixture, days: 1, disposal)) != nil
            for seed in 0..<24 as Range<UInt64> {
                let names = [CutChoice.Names.strict, .eager, .random][Int(seed % 3)]
                var choice = CutChoice(.none, names, seed: seed)
                fixture.storage = SimulatedStorage(storage.disk.afterPowerCut(&choice))
                let situation: Comment = "power cut at operation \(number), \(choice)"
                #expect(try fixture.open().records.count == 16, situation)
                var verifier = JournalVerifier(
                    directory: CrashWorkload.directory, storage: fixture.storage,
                    options: JournalFixture.options)
                let result = try verifier.run()
                #expect(result.damage == nil, situation)
                #expect(disposal == .delete || result.span == 1...16, situation)
            }
        }
        #expect(number > 4)
    }
}
