import Testing

@testable import Journal

@Suite struct RetentionTests {
    /// Applies retention with a clock that began when the journal was opened, and has seen all the
    /// time since.
    private func apply(
        _ fixture: JournalFixture, days: Int, _ disposal: Retention.Disposal
    ) throws -> [String] {
        let wall = fixture.storage.wallMicroseconds()
        let clock = RetentionClock(noted: wall, created: nil, storage: fixture.storage)
        return try Retention.apply(
            directory: CrashWorkload.directory, storage: fixture.storage, clock: clock, days: days,
            disposal: disposal
        ).taken
    }

    @Test(arguments: [Retention.Disposal.archive, .delete])
    func `old segments that every snapshot covers go`(disposal: Retention.Disposal) throws {
        let fixture = try JournalFixture(snapshots: [8, 14])
        #expect(try apply(fixture, days: 30, disposal) == [], "they are young")
        fixture.storage.advance(days: 31)
        // Record 8 is in the second segment, which the older snapshot needs.
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

    /// The first segment ends with record 6.
    @Test func `what was not told stays for some days more`() throws {
        let fixture = try JournalFixture(snapshots: [8, 14])
        let (writer, _) = try fixture.open()
        fixture.storage.advance(days: 31)
        func retain(delivered: UInt64) throws -> Retention.Report {
            try writer.maintenance.retain(
                days: 30, .delete, hold: Retention.Hold(delivered: delivered, days: 10))
        }
        let held = try retain(delivered: 5)
        #expect(held.taken == [] && held.held == 1)
        #expect(held.warning?.contains("keeping 1 old segment") == true)
        fixture.storage.advance(days: 8)
        #expect(try retain(delivered: 0).taken == [])
        #expect(try retain(delivered: 6).taken == [JournalFixture.first])
        let other = try JournalFixture(snapshots: [8, 14])
        let (otherWriter, _) = try other.open()
        other.storage.advance(days: 41)
        let report = try otherWriter.maintenance.retain(
            days: 30, .delete, hold: Retention.Hold(delivered: 0, days: 10))
        #expect(report.taken == [JournalFixture.first] && report.held == 0)
    }

    @Test func `without a good snapshot everything stays`() throws {
        let fixture = try JournalFixture(snapshots: [14])
        fixture.edit("0000000014.snapshot") { $0[700] ^= 1 }
        fixture.storage.advance(days: 400)
        #expect(try apply(fixture, days: 30, .delete) == [])
    }

    @Test func `the segment that is written stays`() throws {
        let fixture = try JournalFixture(snapshots: [16])
        fixture.storage.advance(days: 400)
        #expect(
            try apply(fixture, days: 1, .delete) == [JournalFixture.first, JournalFixture.second])
        #expect(try fixture.open().records.count == 16)
    }

    /// The effect of a jump of the wall clock while the journal is open.
    @Test(arguments: [Retention.Disposal.archive, .delete])
    func `a clock that jumps ahead takes nothing and says so`(disposal: Retention.Disposal) throws {
        let fixture = try JournalFixture(snapshots: [8, 14])
        let (writer, _) = try fixture.open()
        fixture.storage.jump(days: 3650)
        let report = try writer.maintenance.retain(days: 30, disposal)
        #expect(report.taken == [])
        #expect(report.doubted == 1 && report.lagDays == 3650)
        #expect(report.warning?.contains("3650 days") == true)
        // Time that has really passed counts.
        fixture.storage.advance(days: 31)
        #expect(try writer.maintenance.retain(days: 30, disposal).taken == [JournalFixture.first])
    }

    /// A restart while the clock is wrong counts it as a day, and no snapshot or segment written
    /// then is evidence for it.
    @Test func `a clock that has jumped before the start takes nothing`() throws {
        let fixture = try JournalFixture(snapshots: [8, 14])
        fixture.storage.jump(days: 3650)
        for _ in 1...5 {
            let (writer, _) = try fixture.open()
            let report = try writer.maintenance.retain(days: 30, .delete)
            #expect(report.taken == [] && report.doubted == 1)
            writer.close()
        }
        #expect(fixture[JournalFixture.first] != nil)
    }

    @Test func `a server that was off for a year catches up at twice the speed`() throws {
        let fixture = try JournalFixture(snapshots: [8, 14])
        fixture.storage.jump(days: 365)
        let (writer, _) = try fixture.open()
        fixture.storage.advance(days: 14)
        #expect(try writer.maintenance.retain(days: 30, .delete).taken == [])
        fixture.storage.advance(days: 2)
        #expect(try writer.maintenance.retain(days: 30, .delete).taken == [JournalFixture.first])
    }

    @Test func `a clock that jumps back keeps segments`() throws {
        let fixture = try JournalFixture(snapshots: [16])
        fixture.storage.jump(days: -400)
        #expect(try apply(fixture, days: 1, .delete) == [])
    }

    /// The archive's name was added, and the power failed before the first name was removed.
    @Test func `a half done move is finished`() throws {
        let fixture = try JournalFixture(snapshots: [16])
        try fixture.storage.makeDirectory("/journal/archive")
        fixture["archive/" + JournalFixture.first] = fixture[JournalFixture.first]
        fixture.storage.advance(days: 400)
        #expect(try apply(fixture, days: 1, .archive).count == 2)
        #expect(fixture["archive/" + JournalFixture.second] != nil)
    }

    /// The power fails at every operation of a retention that removes two segments.
    @Test(arguments: [Retention.Disposal.archive, .delete])
    func `no power cut loses a segment or leaves a gap`(disposal: Retention.Disposal) throws {
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
