import Journal
import SystemPackage
import Testing

/// The journal on storage that fails: the N-th operation, for every N, once and permanently; and
/// whole kinds of operations.
@Suite struct FailureTests {
    @Test(arguments: [Errno.ioError, .noSpace], [false, true])
    func `no failure loses an acknowledged record`(error: Errno, forever: Bool) {
        let (states, violations) = Self.failEverywhere(error, forever: forever)
        #expect(violations.isEmpty, "\(violations.prefix(5))")
        let plan = "\(error), forever \(forever)"
        print("failing with \(plan): \(states) states, \(violations.count) violations")
    }

    /// A failed fdatasync leaves the frame in memory, marked clean. Recovery must not trust it, or
    /// must write it again.
    @Test func `a recovery that does not rewrite the last frame is caught`() {
        let (_, violations) = Self.failEverywhere(
            .ioError, forever: false, defects: .skipsRewriting)
        #expect(!violations.isEmpty)
    }

    static func failEverywhere(
        _ error: Errno, forever: Bool, defects: SimulatedStorage.PlantedDefects = []
    ) -> (states: Int, violations: [String]) {
        let rehearsal = SimulatedStorage()
        var whole = CrashWorkload(seed: 1)
        whole.run(rehearsal)
        var states = 0
        var violations: [String] = []
        for number in 1...rehearsal.operations {
            let plan = SimulatedStorage.Plan.failure(at: number, error, forever: forever)
            let storage = SimulatedStorage(plan: plan)
            var workload = CrashWorkload(seed: 1)
            workload.run(storage)
            var check = CrashCheck(workload)
            let disk = storage.disk
            let situation = "operation \(number) fails with \(error)"
            check.check(disk.afterKill(), defects: defects, situation + ", then restarted")
            for var choice in [CutChoice(.none, .strict), CutChoice(.random, .random, seed: 3)] {
                check.check(
                    disk.afterPowerCut(&choice), defects: defects, "\(situation), \(choice)")
            }
            states += check.statesTried
            violations += check.violations
        }
        return (states, violations)
    }

    private func openedWriter(_ storage: SimulatedStorage) throws -> JournalWriter {
        var records: [[UInt8]] = []
        let writer = try JournalFixture.open(storage, &records)
        try writer.append { $0.append(1) }
        try writer.commit()
        return writer
    }

    @Test(arguments: [SimulatedStorage.Operation.write, .fdatasync, .status])
    func `a failed write or sync is fatal and stays so`(operation: SimulatedStorage.Operation)
        throws
    {
        let storage = SimulatedStorage()
        let writer = try openedWriter(storage)
        storage.setPlan(.failing(operation, .ioError))
        try writer.append { $0.append(2) }
        let failure = try #require(throws: JournalError.self) { try writer.commit() }
        #expect(failure.reason == "journal_fatal")
        #expect(writer.durableSequence == 1)
        // The storage works again, but the writer must not.
        storage.setPlan(.nothing)
        #expect(throws: failure) { try writer.append { $0.append(3) } }
        #expect(throws: failure) { try writer.commit() }
        #expect(throws: failure) { try writer.markIdle() }
    }

    @Test(arguments: [
        SimulatedStorage.Operation.create, .allocate, .fsync, .rename,
    ])
    func `failing to get the next segment refuses and recovers by itself`(
        operation: SimulatedStorage.Operation
    ) throws {
        for error in [
            Errno.noSpace, .diskQuotaExceeded, .readOnlyFileSystem, .tooManyOpenFiles,
        ] {
            let storage = SimulatedStorage()
            let writer = try openedWriter(storage)
            storage.setPlan(.failing(operation, error))
            var refusals = 0
            for _ in 0..<20 {
                let before = writer.nextSequence
                try writer.append { $0.append(contentsOf: repeatElement(7, count: 900)) }
                do { try writer.commit() } catch {
                    refusals += 1
                    let isSpace = [Errno.noSpace, .diskQuotaExceeded].contains {
                        error == .noSpace($0)
                    }
                    let isOther = [Errno.readOnlyFileSystem, .tooManyOpenFiles].contains {
                        error == .needsSegment($0)
                    }
                    #expect(isSpace || isOther)
                    #expect(writer.nextSequence == before)
                }
            }
            #expect(refusals > 0)
            let durable = writer.durableSequence
            storage.setPlan(.nothing)
            try writer.append { $0.append(9) }
            try writer.commit()
            #expect(writer.durableSequence == durable + 1)
        }
    }

    @Test func `a failed directory sync after the rename is fatal`() throws {
        let storage = SimulatedStorage()
        let writer = try openedWriter(storage)
        storage.setPlan(.failing(.fsyncDirectory, .ioError))
        let failure = #expect(throws: JournalError.self) {
            for _ in 0..<20 {
                try writer.append { $0.append(contentsOf: repeatElement(7, count: 900)) }
                try writer.commit()
            }
        }
        #expect(failure?.reason == "journal_fatal")
    }

    @Test func `short and interrupted writes are continued`() {
        let storage = SimulatedStorage(plan: .shortWrites)
        var workload = CrashWorkload(seed: 6)
        workload.run(storage)
        #expect(workload.acknowledged.count > 20)
        var check = CrashCheck(workload)
        var cut = CutChoice(.none, .strict)
        check.check(storage.disk.afterPowerCut(&cut), "short writes")
        #expect(check.violations.isEmpty, "\(check.violations)")
    }

    private static let displacedSegment =
        "the segment, or the journal's directory, was moved, replaced or removed while it was "
        + "being written"

    @Test func `a segment that lost its name is not written in vain`() throws {
        let storage = SimulatedStorage()
        let writer = try openedWriter(storage)
        try storage.unlink("/journal/0000000001.segment")
        try writer.append { $0.append(2) }
        #expect(
            throws: JournalError.displaced(
                path: "/journal/0000000001.segment", detail: Self.displacedSegment)
        ) { try writer.commit() }
    }
}
